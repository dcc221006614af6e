"""Looks at pages of reports in Chromium, on a laptop and a phone, light and dark.

Usage: check_report.py CHROMIUM CRONOS_BINARY DEMO_BINARY EXPERIMENTS_BINARY FOLDER

Makes the pages in FOLDER, opens each in every way and leaves pictures there.
"""

import pathlib
import random
import shutil
import subprocess
import sys

from browser import Browser

SCRIPT = pathlib.Path(__file__).with_suffix(".js").read_text(encoding="utf-8")
MOST_BYTES = 1_000_000
SIZES = [(375, 812), (1280, 800)]
ALWAYS = ["summary", "chosen", "convergence"]
EVERY = "path gates confusion residuals importance mistakes files".split()
# experiments that need no data but what is built in
BUILT_IN = "rho convergence nystrom optimum".split()
# page, sections, charts, words that must show as they are
PAGES = [
    ("classes/index.html", [*ALWAYS, "confusion", "importance", "mistakes", "files"], 2, ["digits"]),
    ("numbers/index.html", [*ALWAYS, "residuals", "importance", "files"], 4, ["<b>price</b>"]),
    ("demo/full.html", [*ALWAYS, *EVERY], 9, ["digits"]),
    ("demo/hostile.html", [*ALWAYS, *EVERY], 11, ["<script>alert('x')</script>"]),
    ("demo/bare.html", ["confusion"], 0, ["Iris-setosa"]),
    ("experiments/index.html", [*BUILT_IN, "missing"], 6, ["Robustness to ρ", "mlp-cifar10"]),
]


def make(cronos, demo, experiments, folder):
    """Makes the pages: two real reports, the made-up ones, and that of experiments."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    numbers = random.Random(1)
    rows = ["area,<i>age</i>,<b>price</b>"]
    for _ in range(400):
        area, age = numbers.uniform(20, 200), numbers.uniform(0, 80)
        price = 3 * area + abs(age - 30) * 4 + numbers.gauss(0, 12)
        rows.append(f"{area:.3f},{age:.3f},{price:.3f}")
    (folder / "houses.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    quick = "--gates 20 --max-iterations 200".split()
    for arguments in (
        ["fit", "digits", "--report", "classes", *quick],
        ["fit", "houses.csv", "--report", "numbers", *quick],
    ):
        subprocess.run([cronos, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    subprocess.run([demo, folder / "demo"], check=True)
    kept = ["--quick", "--results", folder / "experiments"]
    for name in BUILT_IN:
        subprocess.run([experiments, "run", name, "--cronos", cronos, *kept], check=True)
    subprocess.run([experiments, "report", *kept], check=True)


def check(browser, folder, page, sections, charts, words):
    """Returns what is wrong with a page, in any size and colour."""
    path = folder / page
    wrong, backgrounds = [], {}
    if path.stat().st_size > MOST_BYTES:
        wrong.append(f"{path.stat().st_size} bytes are too many")
    for width, height in SIZES:
        for scheme in ("light", "dark"):
            events = browser.show(path, width, height, scheme)
            found = browser.evaluate(SCRIPT)
            text = browser.evaluate("document.body.innerText")
            problems = found["wrong"] + noises(events + browser.events, path)
            if found["sections"] != sections:
                problems.append(f"the sections are {found['sections']}, not {sections}")
            if found["charts"] != charts:
                problems.append(f"there are {found['charts']} charts, not {charts}")
            problems += [f"{word} is not shown" for word in words if word not in text]
            if (found["light"] < 0.2) != (scheme == "dark"):
                problems.append(f"the background is {found['background']}")
            backgrounds[scheme] = found["background"]
            name = f"{path.parent.name}-{path.stem}-{width}-{scheme}.png"
            browser.picture(folder / name)
            wrong += [f"{width} px, {scheme}: {problem}" for problem in dict.fromkeys(problems)]
    if backgrounds["light"] == backgrounds["dark"]:
        wrong.append("dark looks like light")
    return wrong


def noises(events, path):
    """Errors on the console, and requests for anything but the page itself."""
    found = []
    own = path.resolve().as_uri()
    for event in events:
        method, about = event.get("method"), event.get("params", {})
        if method == "Log.entryAdded":
            found.append(f"console: {about['entry']['text']}")
        elif method == "Runtime.consoleAPICalled" or method == "Runtime.exceptionThrown":
            found.append(f"console: {about}")
        elif method == "Network.requestWillBeSent":
            address = about["request"]["url"]
            if address != own and not address.startswith("data:"):
                found.append(f"it asks for {address}")
    return found


def main():
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    program, *paths = sys.argv[1:]
    cronos, demo, experiments, folder = (pathlib.Path(path).resolve() for path in paths)
    make(cronos, demo, experiments, folder)
    failed = 0
    with Browser(program) as browser:
        for page, sections, charts, words in PAGES:
            wrong = check(browser, folder, page, sections, charts, words)
            failed += bool(wrong)
            for problem in wrong:
                print(f"{page}: {problem}")
    print(f"{len(PAGES) - failed} pages passed, {failed} failed; pictures in {folder}")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
