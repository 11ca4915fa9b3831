/** In a window that nobody sees no frames are drawn; what waits for one goes on in steps of so many milliseconds. */
const UNSEEN_FRAME_MS = 100;

/** Calls back when the next frame is drawn. */
export type RequestFrame = (onFrame: () => void) => void;

/** The window's frames, and some steps in a window that draws none. */
export function requestWindowFrame(onFrame: () => void): void {
  const once = (): void => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
    onFrame();
  };
  const frame = requestAnimationFrame(once);
  const timer = setTimeout(once, UNSEEN_FRAME_MS);
}
