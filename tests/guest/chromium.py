"""Real Chromium with its sandbox, under tare: the page is shown each time."""
import os
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))
import tare  # noqa: E402

PAGE = ("<html><body>page<script>document.body.append(' made by script ' + (40 + 2))</script>"
        "</body></html>")
SHOWN = b"made by script 42</body>"
FILES = ("tare", "libtare-probe.so", "python", "node")  # what a run needs, beside each other


class Home:
    """A folder of the user who is to run it, with tare and a page; Chromium refuses its sandbox to root."""

    def __init__(self):
        self.path = Path(tempfile.mkdtemp(prefix="tare-chromium-"))
        self.path.chmod(0o755)
        build = Path(tare.TARE).parent
        for name in FILES:
            copy = shutil.copytree if (build / name).is_dir() else shutil.copy
            copy(build / name, self.path / name)
        (self.path / "page.html").write_text(PAGE)
        self.profile = self.path / "profile"
        self.profile.mkdir()
        if os.getuid() == 0:
            os.chown(self.profile, 65534, 65534)

    def command(self, *under):
        as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        return [*(as_nobody if os.getuid() == 0 else []), "env", f"HOME={self.profile}", *under,
                "chromium", "--headless", "--disable-gpu", "--dump-dom",
                f"file://{self.path}/page.html"]

    def under_tare(self, number):
        return self.command(self.path / "tare", "run", "-q", "-o", self.profile / f"run-{number}", "--")


def starts(times):
    if not shutil.which("chromium") or not shutil.which("setpriv"):
        raise tare.Skip("no chromium or no setpriv here")
    home = Home()
    try:
        alone = tare.plain(home.command(), cwd=home.profile)
        if SHOWN not in alone.out:
            raise tare.Skip("Chromium's sandbox does not work here without tare either")
        shown = 0
        for number in range(times):
            done = tare.plain(home.under_tare(number), cwd=home.profile)
            shown += SHOWN in done.out and done.status == alone.status
            shutil.rmtree(home.profile / f"run-{number}")
        assert shown == times, f"the page was shown {shown} times of {times}: {done.err.decode()[-1500:]}"
    finally:
        shutil.rmtree(home.path, ignore_errors=True)
