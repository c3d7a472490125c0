# SPDX-License-Identifier: Apache-2.0
"""A real headless Chromium, and the tests' queries of a page in it.

With EVICTD_SCREENSHOTS=DIRECTORY it writes a picture of each state there."""
import os
import pathlib
import tempfile
import unittest

from node import wait_until
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

WIDE, NARROW, HEIGHT = 1100, 400, 900


class BrowserTest(unittest.TestCase):
    def look_at(self, address, directory):
        """Opens the page; the browser stores its files below `directory`."""
        # A browser that is exiting still uses its own.
        profile = tempfile.mkdtemp(prefix="browser-", dir=directory)
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        # Chromium has no sandbox as root, and must not contact other hosts.
        for argument in ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                         "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
                         "--disable-sync", f"--user-data-dir={profile}"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        self.browser = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.addCleanup(self.browser.quit)
        self.resize(WIDE)
        self.browser.get(address)
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
        """Reads the first such element in its current state; the page may redraw it at any time."""
        return self.ask("(document.querySelector(arguments[0]) || {}).innerText || ''", selector)

    def wait_for(self, selector, words=""):
        return wait_until(
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
