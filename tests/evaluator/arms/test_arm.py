"""Tokens of a header as tokenizers of three kinds count them before a text."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

from evaluator.arms.arm import count_inputs
from evaluator.experiment.protocol import Arm, ModelChoice
from tests.stand_in import stand_in_model

BODIES = ["Holiday carries over until March.", "Ask the team lead first.", "Nothing applies here."]
HEADERS = ["Leave > Carry-over\n", "Travel: ", ""]


def word_piece() -> Tokenizer:
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[UNK]", "[CLS]", "[SEP]"]
    made.train_from_iterator(
        BODIES + HEADERS, trainers.WordPieceTrainer(special_tokens=special, vocab_size=90)
    )
    made.post_processor = processors.BertProcessing(("[SEP]", 2), ("[CLS]", 1))
    return made


def sentence_piece() -> Tokenizer:
    made = Tokenizer(models.Unigram())
    made.pre_tokenizer = pre_tokenizers.Metaspace()
    made.train_from_iterator(
        BODIES + HEADERS, trainers.UnigramTrainer(vocab_size=80, unk_token="<unk>")
    )
    return made


def byte_pairs() -> Tokenizer:
    """As static models have it: no marks of its own at either end."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    made.train_from_iterator(BODIES + HEADERS, trainers.BpeTrainer(vocab_size=120))
    return made


@pytest.mark.parametrize(
    ("tokenizer", "seams"), [(word_piece, False), (sentence_piece, True), (byte_pairs, True)]
)
@pytest.mark.parametrize("prefix", ["", "passage: "])
def test_header_tokens_are_counted_in_place(
    tokenizer: Callable[[], Tokenizer], seams: bool, prefix: str
) -> None:
    """What a header adds to its input, whatever the tokenizer makes of it alone."""
    made = tokenizer()
    special = len(made.encode("").ids)

    def count(texts):  # type: ignore[no-untyped-def]
        return np.array([len(one.ids) for one in made.encode_batch(list(texts))])

    arm = Arm("headed", "", prefix, "title", ModelChoice("folder:x", None, None))
    whole = [prefix + header + body for header, body in zip(HEADERS, BODIES, strict=True)]
    model = replace(stand_in_model(), count_tokens=count)
    found = count_inputs(arm, model, headers=HEADERS, bodies=BODIES, strings=whole)
    without = [len(made.encode(prefix + body).ids) for body in BODIES]
    assert [len(made.encode(text).ids) for text in whole] == found.offered.tolist()
    assert (found.offered - without).tolist() == found.header.tolist()
    assert (found.offered - count(BODIES)).tolist() == found.front.tolist()
    alone = [len(made.encode(header).ids) - special for header in HEADERS]
    assert alone == found.header_alone.tolist()
    assert seams == (alone != found.header.tolist())
    assert 0 == found.header[2]
    assert abs(found.header - found.header_alone).max() <= 2
