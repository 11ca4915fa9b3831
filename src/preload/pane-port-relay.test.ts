import { describe, expect, it, vi } from 'vitest';
import { relayPanePort, type PageWindow } from './pane-port-relay.ts';

function fakePage(): PageWindow & { postMessage: ReturnType<typeof vi.fn<PageWindow['postMessage']>> } {
  return { location: { origin: 'app://shellscope' }, postMessage: vi.fn<PageWindow['postMessage']>() };
}

describe('the relay of pane ports', () => {
  it('hands the port to its own origin, with the nonce of the request', () => {
    const page = fakePage();
    const { port1, port2 } = new MessageChannel();
    relayPanePort(page, { nonce: 'abcdefgh' }, [port1]);
    expect(page.postMessage.mock.calls).toEqual([
      [{ type: 'shellscope/pane-port', nonce: 'abcdefgh' }, 'app://shellscope', [port1]],
    ]);
    port1.close();
    port2.close();
  });

  it.each([
    ['no message', undefined, 1],
    ['no nonce', {}, 1],
    ['a nonce that is no text', { nonce: 7 }, 1],
    ['no port', { nonce: 'abcdefgh' }, 0],
    ['two ports', { nonce: 'abcdefgh' }, 2],
  ])('drops a message with %s and closes what came with it', (_case, message, count) => {
    const page = fakePage();
    const ports = Array.from({ length: count }, () => new MessageChannel().port1);
    const closings = ports.map((port) => vi.spyOn(port, 'close'));
    relayPanePort(page, message, ports);
    expect(page.postMessage).not.toHaveBeenCalled();
    for (const closing of closings) {
      expect(closing).toHaveBeenCalledOnce();
    }
  });
});
