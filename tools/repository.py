"""Lists the files of the repository, for the other tools."""
import subprocess


def tracked(root):
    """The tracked and new files; if `root` is not a git checkout, all files outside of build/."""
    git = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listing = subprocess.run(git, cwd=root, capture_output=True, text=True)
    if listing.returncode == 0:
        paths = [root / name for name in listing.stdout.splitlines()]
    else:
        paths = [p for p in root.rglob("*") if "build" not in p.relative_to(root).parts[:1]]
    return sorted(p for p in paths if p.is_file())
