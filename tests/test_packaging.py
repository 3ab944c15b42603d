"""What is written in several places agrees: the version, the licence, the marks of typed packages."""

import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = sorted(path.parent for path in ROOT.glob("packages/*/pyproject.toml"))
EVERYTHING = [*PACKAGES, *sorted(path.parent for path in ROOT.glob("third/*/pyproject.toml"))]


def project(folder):
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]


@pytest.mark.parametrize("folder", PACKAGES, ids=lambda folder: folder.name)
def test_packages_share_one_version(folder):
    version = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
    siblings = [text for text in project(folder)["dependencies"] if text.startswith("flatppl-")]
    assert project(folder)["dynamic"] == ["version"]
    assert all(text.endswith(f"=={version}") for text in siblings)


@pytest.mark.parametrize("folder", PACKAGES, ids=lambda folder: folder.name)
def test_packages_are_typed(folder):
    (package,) = (path for path in (folder / "src").iterdir() if path.name.isidentifier())
    assert (package / "py.typed").is_file()


@pytest.mark.parametrize("folder", EVERYTHING, ids=lambda folder: folder.name)
def test_every_distribution_carries_the_licence(folder):
    assert (folder / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    assert project(folder)["license"] == "MIT"
