import { describe, expect, test } from 'vitest';
import { fenceWithSettings } from './fence-settings.ts';
import { readOnly, workspaceWrite } from './sandbox/sandbox-policy.ts';

const NETWORK = {
  allowed: ['example.org'],
  denied: ['bad.example.org'],
  clients: { codex: { allowed: ['pypi.org'], denied: ['old.pypi.org'] } },
};
const NOTHING = { allowed: [], denied: [], clients: {} };

describe('a fence with what the settings say', () => {
  test('reaches what they allow to all and to its client', () => {
    expect(fenceWithSettings({ sandbox: readOnly(), client: 'other' }, NETWORK, ['/state'])).toEqual({
      sandbox: {
        ...readOnly(),
        hidden: ['/state'],
        network: { allowed: ['example.org'], denied: ['bad.example.org'] },
      },
      asksForHosts: false,
    });
    expect(fenceWithSettings({ sandbox: readOnly(), client: 'codex' }, NETWORK, []).sandbox).toMatchObject({
      network: { allowed: ['example.org', 'pypi.org'], denied: ['bad.example.org', 'old.pypi.org'] },
    });
  });

  test('has no network where they allow nothing, and none is taken away', () => {
    expect(fenceWithSettings({ sandbox: readOnly(), client: 'codex' }, NOTHING, []).sandbox).toMatchObject({
      network: 'none',
    });
    const whole = readOnly({ network: 'host' });
    expect(fenceWithSettings({ sandbox: whole, client: 'codex' }, NETWORK, [])).toEqual({
      sandbox: whole,
      asksForHosts: false,
    });
    expect(fenceWithSettings({ sandbox: { kind: 'none' }, client: 'codex' }, NETWORK, []).sandbox).toEqual({
      kind: 'none',
    });
  });

  test('tells when its client asks for more than they allow', () => {
    const asking = (...allowed: readonly string[]) =>
      fenceWithSettings(
        { sandbox: workspaceWrite('/w', { network: { allowed, denied: [] } }), client: 'codex' },
        NETWORK,
        [],
      );
    expect(asking('pypi.org').asksForHosts).toBe(false);
    expect(asking('pypi.org', 'evil.test')).toMatchObject({
      asksForHosts: true,
      sandbox: {
        network: { allowed: ['example.org', 'pypi.org', 'evil.test'], denied: expect.arrayContaining([]) as [] },
      },
    });
  });
});
