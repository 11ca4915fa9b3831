// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SessionId } from '../../shared/session.ts';
import { PanePorts } from './pane-ports.ts';

const S1 = 's1' as SessionId;

/** Only what the ports look at; the page's events are dispatched by hand. */
interface FakePort {
  readonly close: ReturnType<typeof vi.fn>;
}

function fakePort(): FakePort & MessagePort {
  return { close: vi.fn() } as unknown as FakePort & MessagePort;
}

function hand(port: MessagePort, message: unknown, origin = window.location.origin): void {
  const event = new Event('message');
  Object.assign(event, { data: message, origin, ports: [port] });
  window.dispatchEvent(event);
}

describe('the ports of panes', () => {
  let nonce = '';
  let refusal: Error | null = null;
  let ports: PanePorts;

  beforeEach(() => {
    refusal = null;
    ports = new PanePorts(window, (_id, given) => {
      nonce = given;
      return refusal === null ? Promise.resolve(null) : Promise.reject(refusal);
    });
  });

  afterEach(() => {
    ports.dispose();
    vi.useRealTimers();
  });

  const neverAborted = new AbortController().signal;

  it('arrive by the nonce of the request, also ahead of the answer', async () => {
    const port = fakePort();
    const opening = ports.open(S1, neverAborted);
    hand(port, { type: 'shellscope/pane-port', nonce });
    await expect(opening).resolves.toBe(port);
    expect(nonce).toMatch(/^[0-9a-f]{32}$/);
  });

  it.each([
    ['another origin', () => hand(fakePort(), { type: 'shellscope/pane-port', nonce }, 'https://example.org')],
    ['another type', () => hand(fakePort(), { type: 'other', nonce })],
    ['another nonce', () => hand(fakePort(), { type: 'shellscope/pane-port', nonce: 'x' })],
    ['no message', () => hand(fakePort(), null)],
  ])('are not taken from a message with %s', async (_case, send) => {
    const right = fakePort();
    const opening = ports.open(S1, neverAborted);
    send();
    hand(right, { type: 'shellscope/pane-port', nonce });
    await expect(opening).resolves.toBe(right);
  });

  it('are refused with the host’s own error', async () => {
    refusal = new Error('No session has the id s1.');
    await expect(ports.open(S1, neverAborted)).rejects.toBe(refusal);
  });

  it('are waited for no longer than the deadline, and a late one is closed', async () => {
    vi.useFakeTimers();
    const opening = ports.open(S1, neverAborted);
    const outcome = expect(opening).rejects.toThrow('sent no output port');
    await vi.advanceTimersByTimeAsync(5_000);
    await outcome;
    const late = fakePort();
    hand(late, { type: 'shellscope/pane-port', nonce });
    await vi.advanceTimersByTimeAsync(0);
    expect(late.close).toHaveBeenCalledOnce();
  });

  it('are closed when the pane that asked is gone', async () => {
    const gone = new AbortController();
    const opening = ports.open(S1, gone.signal);
    const reason = new Error('gone');
    gone.abort(reason);
    await expect(opening).rejects.toBe(reason);
    const late = fakePort();
    hand(late, { type: 'shellscope/pane-port', nonce });
    await vi.waitFor(() => expect(late.close).toHaveBeenCalledOnce());
  });
});
