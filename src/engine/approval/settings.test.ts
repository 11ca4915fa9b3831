import { describe, expect, test } from 'vitest';
import { parseSettings } from './settings.ts';

describe('settings of the network', () => {
  test('are empty when nothing is said', () => {
    expect(parseSettings({}).network).toEqual({ allowed: [], denied: [], clients: {} });
  });

  test('are hosts for all and for clients', () => {
    const network = {
      allowed: ['example.org', '*.example.org', '10.0.0.0/8:5432'],
      denied: ['*'],
      clients: { codex: { allowed: ['pypi.org'], denied: [] } },
    };
    expect(parseSettings({ network }).network).toEqual(network);
  });

  test.each([
    [{ allowed: ['https://example.org/'] }, "network.allowed.0: 'https://example.org/' is no host: leave out"],
    [{ denied: ['a.org', '*.org'] }, "network.denied.1: '*.org' is no host: that is every host below .org"],
    [{ clients: { codex: { allowed: ['a b'] } } }, "network.clients.codex.allowed.0: 'a b' is no host: write a name"],
    [{ allow: ['a.org'] }, 'network'],
  ])('%j is refused with the field and what is wrong with it', (network, message) => {
    expect(() => parseSettings({ network })).toThrow(message);
  });
});
