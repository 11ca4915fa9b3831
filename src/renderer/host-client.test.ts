import { expect, it } from 'vitest';
import { createHostClient, failureText, RequestError } from './host-client.ts';
import { FakeHost } from './testing/fake-host.ts';

async function failureOf(reason: unknown): Promise<unknown> {
  const { api, requests } = new FakeHost();
  requests.listSessions.mockRejectedValueOnce(reason);
  return createHostClient(api)
    .listSessions()
    .catch((error: unknown) => error);
}

it('makes an error with the host’s code and sentence of the plain data that crosses the bridge', async () => {
  const error = await failureOf({ code: 'session-not-found', message: 'No session has the id s1.' });
  expect(error).toBeInstanceOf(RequestError);
  expect(error).toMatchObject({ code: 'session-not-found', message: 'No session has the id s1.' });
});

it('leaves an error that is one as it is, and makes one of anything else', async () => {
  const real = new TypeError('broken');
  expect(await failureOf(real)).toBe(real);
  expect(await failureOf('odd')).toMatchObject({ code: 'unknown', message: 'odd' });
  expect([failureText(real), failureText(7)]).toEqual(['broken', '7']);
});

it('passes values through', async () => {
  const { api } = new FakeHost();
  await expect(createHostClient(api).listSessions()).resolves.toEqual({ revision: 0, sessions: [] });
});
