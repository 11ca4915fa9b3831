import type { Shellscope } from './fixtures.ts';

/** Has the panes of a page tell nothing of what they have parsed, so that no more is sent to them, until it is called again. */
export const holdBack = ({ page }: Shellscope, isHeld: boolean): Promise<void> =>
  page.evaluate((holds) => {
    const held = (globalThis as { heldAcks?: (() => void)[] }).heldAcks;
    if (!holds) {
      (globalThis as { heldAcks?: (() => void)[] | undefined }).heldAcks = undefined;
      held?.forEach((tell) => tell());
      return;
    }
    (globalThis as { heldAcks?: (() => void)[] }).heldAcks = [];
    // oxlint-disable-next-line typescript/unbound-method -- it is called with its port
    const post = MessagePort.prototype.postMessage;
    MessagePort.prototype.postMessage = function (this: MessagePort, message: { readonly type?: string } | null) {
      const { heldAcks } = globalThis as { heldAcks?: (() => void)[] };
      if (message?.type === 'ack' && heldAcks !== undefined) {
        heldAcks.push(() => post.call(this, message));
      } else {
        post.call(this, message);
      }
    } as typeof post;
  }, isHeld);
