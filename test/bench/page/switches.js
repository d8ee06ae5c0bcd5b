/* global document, requestAnimationFrame, MessageChannel, performance */
// This script runs in the measured page, without imports and types of the project.

globalThis.benchSwitches = {
  /**
   * Clicks the link to a screen in the navigation.
   *
   * Returns the time from the click until the frame that shows the screen is complete (script, styles, layout,
   * paint records; ms).
   *
   * @param {string} screen text of the link, such as `Services`
   * @param {string} shown selector of what the screen shows last
   */
  async to(screen, shown) {
    const link = [...document.querySelectorAll('[data-pane="navigation"] a')].find(
      (one) => one.querySelector('.word')?.textContent === screen,
    );
    const isShown = () =>
      document.querySelector('main h1')?.textContent?.trim() === screen &&
      document.querySelector(shown) !== null;
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const began = performance.now();
    link.click();
    while (!isShown()) await new Promise((resolve) => requestAnimationFrame(resolve));
    const channel = new MessageChannel();
    const done = new Promise((resolve) => (channel.port1.onmessage = resolve));
    channel.port2.postMessage(null);
    await done;
    return performance.now() - began;
  },
};
