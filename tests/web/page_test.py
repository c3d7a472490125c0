# SPDX-License-Identifier: Apache-2.0
"""The page of evictd-web in a real headless Chromium, beside the real evictd. Needs root for evictd itself.

With EVICTD_SCREENSHOTS=DIRECTORY a picture of each state is left there."""
import os
import pathlib
import unittest

from node import PATIENCE, Node
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

SIGNAL = "allocatableMemory.available"
# What evictd passes on as it was told, and a browser must not run.
HOSTILE = "<img src=x onerror=document.title='ran'>"
WIDE, NARROW, HEIGHT = 1100, 400, 900


def contrast(one, other):
    """Of two colours as (red, green, blue) of 0 to 255. Source: WCAG 2.1, relative luminance."""
    def luminance(colour):
        linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4
                  for part in (value / 255 for value in colour)]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


class PageTest(unittest.TestCase):
    def setUp(self):
        if os.geteuid() != 0:
            self.skipTest("needs root to make cgroups and to run evictd")
        self.node = Node(self)
        self.node.add_quiet_pod("aaaa", "shop", "cart", priority=100, request_mib=64)
        self.node.add_quiet_pod("bbbb", "shop", "orders", priority=1000, request_mib=64)
        self.node.start_evictd()

    def open_page(self):
        self.node.start_web()
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        # As root Chromium has no sandbox; nothing of it may look for hosts outside.
        for argument in ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                         "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
                         "--disable-sync", f"--user-data-dir={self.node.directory}/browser"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.browser = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.addCleanup(self.browser.quit)
        self.resize(WIDE)
        self.browser.get(f"http://127.0.0.1:{self.node.port}/")
        self.wait_for("#pods tr")

    def resize(self, width):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": HEIGHT, "deviceScaleFactor": 1, "mobile": False})

    def prefer(self, scheme):
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def ask(self, script, *arguments):
        return self.browser.execute_script("return " + script, *arguments)

    def text(self, selector):
        """Of the first such element as it is now; the page may draw it anew at any time."""
        return self.ask("(document.querySelector(arguments[0]) || {}).innerText || ''", selector)

    def wait_for(self, selector, words=""):
        return self.node.wait_until(
            lambda: self.ask("document.querySelector(arguments[0]) !== null", selector) and
            words in self.text(selector), f"{words!r} in {selector}")

    def picture(self, name):
        if folder := os.environ.get("EVICTD_SCREENSHOTS"):
            height = self.ask("document.documentElement.scrollHeight")
            width = self.ask("document.documentElement.clientWidth")
            self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
            self.browser.save_screenshot(str(pathlib.Path(folder) / f"{name}.png"))
            self.resize(width)

    def expect_nothing_in_the_console(self):
        self.assertEqual([entry for entry in self.browser.get_log("browser") if entry["level"] != "INFO"], [])

    def evict(self, name):
        self.node.add_hog("cccc", "batch", name).wait(PATIENCE)
        self.wait_for("#story h3", "Evicted batch/" + name)

    def test_an_eviction_is_told_while_the_page_is_open(self):
        self.open_page()
        self.wait_for(f'[data-signal="{SIGNAL}"]', "above the threshold")
        self.assertEqual(self.ask("[...document.querySelectorAll('#pods tr')].map((row) => row.cells[1].innerText)"),
                         ["shop/cart", "shop/orders"])
        self.assertTrue(self.ask("document.getElementById('story').hidden"))
        self.picture("quiet")

        self.evict("report")

        self.assertIn("SIGKILL", self.text("#story"))
        self.assertEqual(self.ask("document.querySelector('#story tr.bad').cells[1].innerText"), "batch/report")
        self.expect_the_curve_to_pass_the_threshold()
        self.wait_for("#evictions li", "batch/report")
        self.node.wait_until(lambda: "decision: " in self.text("#events"), "the event of the decision")
        self.wait_for("#badges", "MemoryPressure")
        self.picture("eviction")
        self.expect_nothing_in_the_console()

    def expect_the_curve_to_pass_the_threshold(self):
        lowest, threshold = self.ask("""[
            Math.max(...document.querySelector('#story svg.curve polyline').getAttribute('points').split(' ')
                     .map((point) => Number(point.split(',')[1]))),
            Number(document.querySelector('#story svg.curve .mark').getAttribute('y1'))]""")
        # Down is up in a picture.
        self.assertGreater(lowest, threshold)

    def test_a_name_like_a_script_is_shown_and_not_run(self):
        self.open_page()
        self.evict(HOSTILE)
        self.wait_for("#evictions li", HOSTILE)
        self.assertEqual(self.browser.title, "evictd")
        self.assertEqual(self.ask("document.querySelectorAll('main img').length"), 0)
        self.expect_nothing_in_the_console()

    def test_a_story_is_opened_by_the_keyboard_alone(self):
        self.open_page()
        self.evict("report")
        self.node.wait_until(lambda: self.press_tab_to("#evictions button"), "the eviction is reached by Tab")
        self.browser.switch_to.active_element.send_keys(Keys.ENTER)
        self.node.wait_until(lambda: self.ask("document.activeElement.id") == "story", "the story has the focus")

    def press_tab_to(self, selector):
        webdriver.ActionChains(self.browser).send_keys(Keys.TAB).perform()
        return self.ask("document.activeElement.matches(arguments[0])", selector)

    def test_it_fits_a_narrow_screen_in_light_and_dark(self):
        self.open_page()
        self.evict("report")
        backgrounds = set()
        for scheme in ("light", "dark"):
            self.prefer(scheme)
            for width in (WIDE, NARROW):
                self.resize(width)
                self.assertLessEqual(self.ask("document.documentElement.scrollWidth"), width, scheme)
                self.picture(f"{scheme}-{width}")
            backgrounds.add(self.expect_legible(scheme))
        self.assertEqual(len(backgrounds), 2)
        self.expect_nothing_in_the_console()

    def expect_legible(self, scheme):
        """The background's colour."""
        colours = self.ask("""['body', '.quiet', '.bad', '.good', '#story'].map((selector) => {
            const found = document.querySelector(selector);
            return found && getComputedStyle(found).color.match(/[0-9]+/g).slice(0, 3).map(Number);
        })""")
        background = self.ask("getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).slice(0, 3).map(Number)")
        for colour in filter(None, colours):
            self.assertGreaterEqual(contrast(colour, background), 4.5, f"{colour} on {background}, {scheme}")
        return tuple(background)

    def test_it_says_so_while_evictd_is_away_and_goes_on(self):
        self.open_page()
        Node.end(self.node.evictd)
        self.wait_for("#trouble", "control.sock")
        self.picture("evictd-away")
        self.node.start_evictd()
        self.node.wait_until(lambda: self.ask("document.getElementById('trouble').hidden"), "the trouble is over")


if __name__ == "__main__":
    unittest.main(verbosity=2)
