/* global document, requestAnimationFrame, MessageChannel, performance */
// This script runs in the measured page, without imports and types of the project.

globalThis.benchFrames = {
  /**
   * Scrolls up and down for `ms` milliseconds, `step` px per frame.
   *
   * Returns the time between frames, and for how long each frame kept the page busy: from its start until the first
   * task after its styles, layout and paint records.
   */
  scroll(ms, step) {
    const scroller =
      document.querySelector('[data-bench-scroll]') ??
      document.querySelector('[aria-label="Services"][role="grid"]').parentElement;
    const between = [];
    const work = [];
    const channel = new MessageChannel();
    let began = 0;
    channel.port1.onmessage = () => work.push(performance.now() - began);
    return new Promise((resolve) => {
      let last = null;
      let first = null;
      let direction = step;
      const frame = (now) => {
        began = performance.now();
        first ??= now;
        if (last !== null) between.push(now - last);
        last = now;
        const before = scroller.scrollTop;
        scroller.scrollTop += direction;
        if (scroller.scrollTop === before) direction = -direction;
        channel.port2.postMessage(null);
        if (now - first < ms) requestAnimationFrame(frame);
        else resolve({ between, work });
      };
      requestAnimationFrame(frame);
    });
  },

  /** Covers the window with a page of plain rows, which has as many columns as the table, no script and no updates. */
  cover(rows, columns) {
    const cover = document.createElement('div');
    cover.dataset.benchScroll = '';
    Object.assign(cover.style, {
      position: 'fixed',
      inset: '0',
      zIndex: '9999',
      overflow: 'auto',
      background: 'white',
      color: 'black',
      font: '13px sans-serif',
    });
    for (let n = 0; n < rows; n += 1) {
      const row = document.createElement('div');
      Object.assign(row.style, {
        display: 'grid',
        gridTemplateColumns: `repeat(${columns}, 1fr)`,
        height: '36px',
        borderBottom: '1px solid #ddd',
      });
      for (let at = 0; at < columns; at += 1) {
        const cell = document.createElement('span');
        cell.textContent = `cell ${n}.${at}`;
        row.append(cell);
      }
      cover.append(row);
    }
    document.body.append(cover);
  },

  uncover() {
    document.querySelector('[data-bench-scroll]')?.remove();
  },
};
