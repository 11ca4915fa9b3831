/** Calls back when a pixel of the page has another size on the screen: another zoom, another display. Answers what stops it. */
export function onPixelRatioChange(page: Window, changed: () => void): () => void {
  const stopped = new AbortController();
  const listen = (): void => {
    // A query tells of one ratio only.
    const query = page.matchMedia(`(resolution: ${page.devicePixelRatio}dppx)`);
    query.addEventListener(
      'change',
      () => {
        listen();
        changed();
      },
      { once: true, signal: stopped.signal },
    );
  };
  listen();
  return () => stopped.abort();
}
