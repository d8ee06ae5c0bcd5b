/* global document, requestAnimationFrame, MessageChannel, performance */
// Runs in the page that is measured: no imports, no types of ours.

globalThis.benchSwitches = {
  /**
   * Clicks the navigation's link to a screen.
   *
   * Answers the time from the click until the frame that shows the screen is done (script, styles, layout, paint
   * records), ms.
   *
   * @param {string} screen as the link says it: `Services`
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
