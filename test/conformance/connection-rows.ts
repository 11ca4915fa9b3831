import { ask, result, type ConformanceRow, type HttpStep } from './conformance-row.ts';

const http = (method: string, path: string, status: number, more: Partial<HttpStep> = {}): HttpStep => ({
  kind: 'http',
  method,
  path,
  status,
  ...more,
});

export const connectionRows: readonly ConformanceRow[] = [
  {
    title: '/readyz answers 200, to those who only look',
    source: 'codex.md §1.1, observed',
    steps: [
      http('GET', '/readyz', 200),
      http('GET', '/readyz?x=1', 200),
      http('HEAD', '/readyz', 200),
      http('POST', '/readyz', 405),
      http('GET', '/readyz/', 404),
    ],
  },
  {
    title: 'other paths are not there, and the root is a WebSocket only',
    source: 'codex.md §1.1, observed',
    steps: [
      http('GET', '/', 400),
      http('GET', '/?x', 400),
      http('POST', '/', 405),
      http('GET', '/healthz', 404),
      http('GET', '//', 404),
      http('GET', '/other', 404, { upgrade: true }),
      http('GET', '/', 101, { upgrade: true }),
      http('GET', '/?query=1', 101, { upgrade: true }),
      http('GET', '/', 400, { upgrade: true, headers: { 'sec-websocket-version': '7' } }),
    ],
  },
  {
    title: 'S16: a request of a web page is refused, whatever it asks for',
    source: 'codex.md §1.1, observed',
    steps: [
      http('GET', '/', 403, { upgrade: true, headers: { origin: 'http://localhost' } }),
      http('GET', '/readyz', 403, { headers: { origin: 'http://localhost' } }),
      http('GET', '/', 403, {
        upgrade: true,
        headers: { host: 'evil.example' },
        differs: { real: 101, why: 'a foreign Host header' },
      }),
    ],
  },
  {
    title: 'a ping is answered',
    source: 'RFC 6455 §5.5.2',
    steps: [{ kind: 'ping' }, ask('environment/status', undefined, result({ status: 'ready' }))],
  },
];
