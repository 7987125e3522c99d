"""What an administrator configures for signing in is checked before the app starts."""

from pathlib import Path

import pytest

from evaluator import InputError
from labeler.app.serving.serve import SignIn, find_sign_in

GOOD = {
    "cookie_secret": "0123456789abcdef" * 4,
    "client_id": "labels",
    "client_secret": "shared",
    "server_metadata_url": "https://id.example.com/.well-known/openid-configuration",
    "redirect_uri": "https://labels.example.com/oauth2callback",
}


def write(path: Path, **changed: str | None) -> Path:
    """A secrets file as it should be but for what is changed; None leaves a key out."""
    keys = {**GOOD, **changed}
    lines = [f'{key} = "{value}"' for key, value in keys.items() if value is not None]
    path.write_text("[auth]\n" + "\n".join(lines), encoding="utf-8")
    return path


def find(work: Path, secrets: Path | None = None, header: str | None = None) -> SignIn | None:
    return find_sign_in(work, secrets=secrets, trusted_header=header)


def test_a_secrets_file_is_found_in_the_workspace_or_by_its_name(tmp_path: Path) -> None:
    """Both give the origin that browsers see; without one there is no sign-in."""
    assert find(tmp_path) is None
    with pytest.raises(InputError, match="cannot be read"):
        find(tmp_path, tmp_path / "none.toml")
    named = write(tmp_path / "mine.toml")
    expected = SignIn("provider", secrets=named.resolve(), origin="https://labels.example.com")
    assert expected == find(tmp_path, named)
    there = write(tmp_path / "secrets.toml")
    found = find(tmp_path)
    assert found is not None
    assert there.resolve() == found.secrets


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"client_id": None, "client_secret": ""}, "lacks client_id, client_secret"),
        ({"cookie_secret": "short"}, "has 5 characters"),
        ({"redirect_uri": "https://labels.example.com/"}, "with /oauth2callback after it"),
        ({"redirect_uri": "labels.example.com/oauth2callback"}, "Expected the address"),
        ({"server_metadata_url": "http://id.example.com/x"}, "Expected the provider's https"),
    ],
)
def test_what_cannot_work_is_said(tmp_path: Path, changed: dict[str, str], said: str) -> None:
    """With the file, what was found and what was expected."""
    path = write(tmp_path / "secrets.toml", **changed)
    with pytest.raises(InputError, match=said) as refused:
        find(tmp_path)
    assert str(path) in str(refused.value)


@pytest.mark.parametrize(
    ("content", "said"), [("x = ", "is no TOML"), ("x = 1", r"has no table \[auth\]")]
)
def test_a_file_of_another_kind_is_refused(tmp_path: Path, content: str, said: str) -> None:
    """Broken TOML, and TOML about something else."""
    path = tmp_path / "secrets.toml"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=said):
        find(tmp_path, path)


def test_a_header_is_one_name(tmp_path: Path) -> None:
    """No blanks, no colon, and not beside a secrets file that was named too."""
    assert SignIn("proxy", header="X-Forwarded-Email") == find(tmp_path, header="X-Forwarded-Email")
    with pytest.raises(InputError, match="no name of a header"):
        find(tmp_path, header="X-Email: ana")
    with pytest.raises(InputError, match="two ways"):
        find(tmp_path, write(tmp_path / "s.toml"), "X-Email")
