import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { PassThrough, type Duplex } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { McpDoors, type OpenMcpDoors } from './mcp-lazy-listener.ts';

const FACTS = { client: 'test', params: {} };

function openDoors() {
  return {
    http: { path: '/mcp', handle: vi.fn(async () => {}), close: vi.fn(async () => {}) },
    stream: vi.fn((_duplex: Duplex) => {}),
  };
}

function makeDoors(open: () => Promise<OpenMcpDoors>) {
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  return { doors: new McpDoors(log, open), log };
}

function makeExchange() {
  const request = new IncomingMessage(new Socket());
  return { request, response: new ServerResponse(request) };
}

describe('the doors of MCP', () => {
  it('are loaded by the first client, once, and hand it on with all that came with it', async () => {
    const open = openDoors();
    const load = vi.fn(async () => open);
    const { doors } = makeDoors(load);
    expect(load).not.toHaveBeenCalled();
    const { request, response } = makeExchange();
    await doors.http.handle(request, response, 'codex');
    const duplex = new PassThrough();
    doors.stream(duplex, FACTS);
    await vi.waitFor(() => expect(open.stream).toHaveBeenCalledWith(duplex, FACTS));
    expect(open.http.handle).toHaveBeenCalledWith(request, response, 'codex');
    expect(load).toHaveBeenCalledOnce();
  });

  it('serve nobody who left while they were loaded', async () => {
    const open = openDoors();
    const { doors } = makeDoors(async () => open);
    const { request, response } = makeExchange();
    const duplex = new PassThrough();
    const handled = doors.http.handle(request, response, null);
    doors.stream(duplex, FACTS);
    response.destroy();
    duplex.destroy();
    await handled;
    await doors.load();
    expect(open.http.handle).not.toHaveBeenCalled();
    expect(open.stream).not.toHaveBeenCalled();
  });

  it('are tried again where they could not be loaded, and say why', async () => {
    const open = openDoors();
    const load = vi.fn(async () => open).mockRejectedValueOnce(new Error('ENOENT'));
    const { doors, log } = makeDoors(load);
    const lost = new PassThrough();
    doors.stream(lost, FACTS);
    await vi.waitFor(() => expect(lost.destroyed).toBe(true));
    expect(log.error).toHaveBeenCalledWith(expect.any(String), { stream: 'mcp', why: 'Error: ENOENT' });
    const served = new PassThrough();
    doors.stream(served, FACTS);
    await vi.waitFor(() => expect(open.stream).toHaveBeenCalledWith(served, FACTS));
  });

  it('let go of a stream that the protocol refuses', async () => {
    const open = openDoors();
    open.stream.mockImplementation(() => {
      throw new Error('cwd must be an absolute path');
    });
    const { doors } = makeDoors(async () => open);
    const duplex = new PassThrough();
    doors.stream(duplex, FACTS);
    await vi.waitFor(() => expect(duplex.destroyed).toBe(true));
  });

  it('are closed with the host, also to those who are waiting for them', async () => {
    const open = openDoors();
    let loaded = (_doors: OpenMcpDoors): void => {};
    const { doors } = makeDoors(() => new Promise((resolve) => (loaded = resolve)));
    const duplex = new PassThrough();
    doors.stream(duplex, FACTS);
    const closed = doors.http.close();
    loaded(open);
    await closed;
    await vi.waitFor(() => expect(duplex.destroyed).toBe(true));
    expect(open.http.close).toHaveBeenCalledOnce();
    expect(open.stream).not.toHaveBeenCalled();
  });

  it('that nobody used are closed without being loaded', async () => {
    const load = vi.fn(async () => openDoors());
    await makeDoors(load).doors.http.close();
    expect(load).not.toHaveBeenCalled();
  });
});
