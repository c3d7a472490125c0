# SPDX-License-Identifier: Apache-2.0
"""The page of evictd-web in a real headless Chromium, beside the real evictd. Needs root for evictd itself.
demo_page_test.py covers the story of an eviction."""
import os
import unittest

from browser import NARROW, WIDE, BrowserTest
from node import PATIENCE, Node, wait_until
from selenium import webdriver
from selenium.webdriver.common.keys import Keys

SIGNAL = "allocatableMemory.available"
# A text that evictd passes on unchanged, and that a browser must not run.
HOSTILE = "<img src=x onerror=document.title='ran'>"


def contrast(one, other):
    """Of two colours as (red, green, blue) of 0 to 255. Source: WCAG 2.1, relative luminance."""
    def luminance(colour):
        linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4
                  for part in (value / 255 for value in colour)]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


class PageTest(BrowserTest):
    def setUp(self):
        if os.geteuid() != 0:
            self.skipTest("needs root to make cgroups and to run evictd")
        self.node = Node(self)
        self.node.add_quiet_pod("aaaa", "shop", "cart", priority=100, request_mib=64)
        self.node.add_quiet_pod("bbbb", "shop", "orders", priority=1000, request_mib=64)
        self.node.start_evictd()

    def open_page(self):
        self.node.start_web()
        self.look_at(f"http://127.0.0.1:{self.node.port}/", self.node.directory)

    def evict(self, name):
        self.node.add_hog("cccc", "batch", name).wait(PATIENCE)
        self.wait_for("#story h3", "Evicted batch/" + name)

    def test_a_quiet_node_is_shown(self):
        self.open_page()
        self.wait_for(f'[data-signal="{SIGNAL}"]', "above the threshold")
        self.assertEqual(self.ask("[...document.querySelectorAll('#pods tr')].map((row) => row.cells[1].innerText)"),
                         ["shop/cart", "shop/orders"])
        self.assertTrue(self.ask("document.getElementById('story').hidden"))
        self.picture("quiet")
        self.expect_nothing_in_the_console()

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
        wait_until(lambda: self.press_tab_to("#evictions button"), "the eviction is reached by Tab")
        # The list changes, and the focus stays on the same item.
        self.node.add_hog("dddd", "batch", "other").wait(PATIENCE)
        self.wait_for("#evictions li:first-child", "batch/other")
        self.assertTrue(self.ask("document.activeElement.matches('#evictions button')"))
        self.assertIn("batch/report", self.ask("document.activeElement.innerText"))
        self.browser.switch_to.active_element.send_keys(Keys.ENTER)
        wait_until(lambda: self.ask("document.activeElement.id") == "story", "the story has the focus")

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
        """The colour of the background."""
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
        wait_until(lambda: self.ask("document.getElementById('trouble').hidden"), "the trouble is over")


if __name__ == "__main__":
    unittest.main(verbosity=2)
