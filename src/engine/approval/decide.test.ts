import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { decide, type Decision, type JudgedRequest } from './decide.ts';
import type { ApprovalMode, ApprovalPolicy, ApprovalRule } from './policy.ts';
import { noSecondOpinion, openSecondOpinion } from './second-opinion.ts';
import type { SecondOpinion } from './shell-text.ts';
import { EVASIVE_LINES } from './testing/evasive-lines.ts';
import { PLAIN_LINES } from './testing/plain-lines.ts';

const RULES: readonly ApprovalRule[] = [
  { decision: 'allow', words: ['npm', 'test'], match: 'prefix', reason: 'the tests may always run' },
  { decision: 'allow', words: ['make', 'check'], match: 'whole', reason: 'the checks may always run' },
  { decision: 'ask', words: ['git', 'push'], match: 'prefix', reason: 'it leaves the machine' },
  { decision: 'forbid', words: ['rm'], match: 'prefix', reason: 'nothing is removed here' },
];

const POLICY: ApprovalPolicy = { mode: 'ask-unless-known-safe', rules: RULES };

let secondOpinion: SecondOpinion;
beforeAll(async () => {
  secondOpinion = await openSecondOpinion();
});

function judge(line: string, request: Partial<JudgedRequest> = {}, policy: ApprovalPolicy = POLICY): Decision {
  return decide(
    {
      input: { kind: 'argv', argv: ['bash', '-lc', line] },
      workspace: '/workspace/app',
      changedVariables: {},
      isSandboxed: true,
      asksMoreRights: false,
      ...request,
    },
    policy,
    secondOpinion,
  );
}

/** As the table says it. */
function outcome({ verdict, decidedBy, doubts }: Decision): string {
  switch (decidedBy.kind) {
    case 'rule':
      return `${verdict} rule`;
    case 'known-safe':
      return `${verdict} known-safe`;
    case 'doubt':
      return `${verdict} ${decidedBy.doubt.code}`;
    case 'mode':
      return `${verdict} ${doubts[0]?.code ?? 'unknown'}`;
  }
}

describe('a command line gets what it must', () => {
  const rows = [...PLAIN_LINES, ...EVASIVE_LINES];

  test.each(rows.map(([line, expected, why]) => ({ line, expected, why })))(
    '$line → $expected: $why',
    ({ line, expected }) => {
      const decision = judge(line);
      expect(outcome(decision), JSON.stringify(decision, null, 1)).toBe(expected);
      expect(decision.why).not.toBe('');
    },
  );

  test('the table has no line twice, and more than 150', () => {
    expect(new Set(rows.map(([line]) => line)).size).toBe(rows.length);
    expect(rows.length).toBeGreaterThan(150);
  });

  test('typed into a shell a line gets what it gets as an argument of one', () => {
    const differing = rows.filter(
      ([line]) => judge(line).verdict !== judge(line, { input: { kind: 'text', text: line } }).verdict,
    );
    expect(differing).toEqual([]);
  });
});

describe('whatever stands beside it', () => {
  /** Ways to put a second command into a line. `rm -rf x` stands for what must never run unasked. */
  const appended: readonly ((line: string) => string)[] = [
    (line) => `${line}; rm -rf x`,
    (line) => `${line};rm -rf x`,
    (line) => `${line} && rm -rf x`,
    (line) => `${line} || rm -rf x`,
    (line) => `${line} | rm -rf x`,
    (line) => `${line} & rm -rf x`,
    (line) => `${line}\nrm -rf x`,
    (line) => `${line} $(rm -rf x)`,
    (line) => `${line} "$(rm -rf x)"`,
    (line) => `${line} \`rm -rf x\``,
    (line) => `${line} <(rm -rf x)`,
    (line) => `${line} <<< $(rm -rf x)`,
    (line) => `${line} "$(echo "$(rm -rf x)")"`,
    (line) => `${line} \${y:-$(rm -rf x)}`,
    (line) => `${line}; (rm -rf x)`,
    (line) => `${line}; { rm -rf x; }`,
    (line) => `rm -rf x; ${line}`,
    (line) => `if rm -rf x; then ${line}; fi`,
    (line) => `f() { rm -rf x; }; ${line}; f`,
    (line) => `X=$(rm -rf x) ${line}`,
    (line) => `${line}; sh -c 'rm -rf x'`,
    (line) => `${line}; eval 'rm -rf' x`,
    (line) => `${line}; env -i rm -rf x`,
    (line) => `${line}; echo x | xargs rm -rf`,
    (line) => `${line}; find . -exec rm -rf {} +`,
    (line) => `${line}; r''m -rf x`,
    (line) => `${line}; $'\\x72m' -rf x`,
    (line) => `${line}; {rm,-rf,x}`,
    (line) => `${line}; /bin/r? -rf x`,
    (line) => `${line}; echo cm0gLXJmIHg= | base64 -d | sh`,
    (line) => `${line}; trap 'rm -rf x' EXIT`,
    (line) => `time ${line}; rm -rf x`,
  ];
  const safe = PLAIN_LINES.flatMap(([line, expected]) =>
    expected.startsWith('allow') && !line.includes('<<') ? [line] : [],
  );
  // No comment and no here-document: what is appended to those is no command.
  const base = safe.filter((line) => !line.includes('#'));

  const neverAllows = (policy: ApprovalPolicy) =>
    fc.assert(
      fc.property(
        fc.constantFrom(...base),
        fc.array(fc.constantFrom(...appended), { minLength: 1, maxLength: 3 }),
        fc.constantFrom(' ', '  ', '\t', '\n'),
        (line, ways, space) => {
          const evil = ways.reduce((text, way) => way(text), line).replaceAll(' ;', `${space};`);
          expect(judge(evil, {}, policy).verdict).not.toBe('allow');
        },
      ),
      { numRuns: 1000 },
    );

  test('a harmful command is never allowed, however it is put into a harmless line', () => {
    neverAllows(POLICY);
  });

  test('also where no rule knows of it', () => {
    neverAllows({ mode: 'ask-unless-known-safe', rules: RULES.filter(({ decision }) => decision === 'allow') });
  });

  test('for any text there is an answer, and only a known one is a yes', () => {
    const piece = fc.constantFrom(
      ...[
        'ls',
        'rm',
        'x',
        ' ',
        ';',
        '|',
        '&',
        '$',
        '(',
        ')',
        '`',
        '"',
        "'",
        '\\',
        '\n',
        '{',
        '}',
        '<',
        '>',
        '[',
        ']',
        '!',
        '=',
      ],
      ...[
        '$(',
        '<<E\n',
        '\nE\n',
        '#',
        'if ',
        'then ',
        'fi',
        'do ',
        'done',
        'eval ',
        '*',
        '~',
        '((',
        '))',
        'é',
        '\u0000',
        '\uD800',
      ],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const { verdict, decidedBy } = judge(pieces.join(''), {}, { mode: 'ask-unless-known-safe', rules: [] });
        expect(verdict === 'allow' ? decidedBy.kind : 'known-safe').toBe('known-safe');
      }),
      { numRuns: 2000 },
    );
  });
});

describe('what a mode makes of it', () => {
  const outside = { isSandboxed: false };
  const more = { asksMoreRights: true };
  const modes: readonly ApprovalMode[] = [
    'never-ask',
    'ask-for-more-rights',
    'ask-on-failure',
    'ask-unless-known-safe',
  ];
  const verdicts = (line: string, request: Partial<JudgedRequest> = {}) =>
    modes.map((mode) => judge(line, request, { mode, rules: RULES }).verdict);

  test('a forbidden command is refused in every mode', () => {
    expect(verdicts('rm x')).toEqual(['forbid', 'forbid', 'forbid', 'forbid']);
  });

  test('what a rule asks about is asked, and refused where nobody is asked', () => {
    expect(verdicts('git push')).toEqual(['forbid', 'ask', 'ask', 'ask']);
  });

  test('what nothing is known of runs in its sandbox, unless only what is known may', () => {
    expect(verdicts('touch a')).toEqual(['allow', 'allow', 'allow', 'ask']);
  });

  test('without a sandbox only a person, or the mode that asks nobody, lets it run', () => {
    expect(verdicts('touch a', outside)).toEqual(['allow', 'ask', 'ask', 'ask']);
  });

  test('known to be safe is no reason for more rights', () => {
    expect(verdicts('ls', more)).toEqual(['forbid', 'ask', 'ask', 'ask']);
    expect(verdicts('npm test', more)).toEqual(['forbid', 'ask', 'ask', 'ask']);
  });

  test('a rule can allow to run without the sandbox', () => {
    const rules: readonly ApprovalRule[] = [
      {
        decision: 'allow',
        words: ['docker', 'ps'],
        match: 'prefix',
        reason: 'it needs its socket',
        withoutSandbox: true,
      },
    ];
    expect(modes.map((mode) => judge('docker ps', more, { mode, rules }).verdict)).toEqual(modes.map(() => 'allow'));
    // The other command in the line has no such rule.
    expect(judge('docker ps; ls', more, { mode: 'ask-on-failure', rules }).verdict).toBe('ask');
  });

  test('what cannot be read is asked; where nobody is, it is refused when rules look for something', () => {
    expect(verdicts('ls "')).toEqual(['forbid', 'ask', 'ask', 'ask']);
    expect(judge('ls "', {}, { mode: 'never-ask', rules: [] }).verdict).toBe('allow');
  });

  test('without the second parser nothing is known to be safe', () => {
    const decision = decide(
      {
        input: { kind: 'argv', argv: ['bash', '-c', 'ls'] },
        workspace: null,
        changedVariables: {},
        isSandboxed: true,
        asksMoreRights: false,
      },
      POLICY,
      noSecondOpinion,
    );
    expect(outcome(decision)).toBe('ask unparsed');
  });

  test('another name than the program has is a doubt, also of what a rule allows to the word', () => {
    const named = (arg0: string, policy?: ApprovalPolicy) =>
      outcome(judge('', { input: { kind: 'argv', argv: ['/bin/ls', '-l'] }, arg0 }, policy));
    expect(named('sh')).toBe('ask other-name');
    expect(named('--cgroup')).toBe('ask other-name');
    for (const own of ['ls', '/usr/bin/ls', '-ls']) {
      expect(named(own)).toBe('allow known-safe');
    }
  });

  test('a variable of the start that steers programs is a doubt; one that does not is none', () => {
    expect(outcome(judge('git log', { changedVariables: { GIT_PAGER: 'cat', CODEX_X: '1' } }))).toBe(
      'allow known-safe',
    );
    expect(outcome(judge('git log', { changedVariables: { GIT_PAGER: 'id' } }))).toBe('ask environment');
    expect(outcome(judge('ls', { changedVariables: { PATH: '/tmp' } }))).toBe('ask environment');
  });
});

describe('the rule that "always" would write', () => {
  const proposed = (line: string) => judge(line).proposedRules.map(({ words, match }) => `${match} ${words.join(' ')}`);

  test('is about program and subcommand where that means something, else about the whole command', () => {
    expect(proposed('npm install left-pad')).toEqual(['prefix npm install']);
    expect(proposed('touch a b')).toEqual(['whole touch a b']);
    expect(proposed('npx cowsay hi')).toEqual(['prefix npx cowsay']);
    expect(proposed('npm exec cowsay')).toEqual(['whole npm exec cowsay']);
    expect(proposed('cargo build && touch a; ls')).toEqual(['prefix cargo build', 'whole touch a']);
  });

  test('is about exactly this line where it is not plain, and then allows it', () => {
    const line = 'echo x > a';
    const { proposedRules } = judge(line);
    expect(proposedRules).toEqual([
      { decision: 'allow', words: ['bash', '-lc', line], match: 'whole', reason: 'a person allowed it for always' },
    ]);
    const policy: ApprovalPolicy = { ...POLICY, rules: [...RULES, ...proposedRules] };
    expect(outcome(judge(line, {}, policy))).toBe('allow rule');
    expect(outcome(judge(`${line}b`, {}, policy))).toBe('ask writes-file');
  });

  test('allows what it was proposed for, and still nothing forbidden', () => {
    for (const [line, expected] of [...PLAIN_LINES, ...EVASIVE_LINES]) {
      const { proposedRules } = judge(line);
      const { verdict } = judge(line, {}, { ...POLICY, rules: [...RULES, ...proposedRules] });
      if (proposedRules.length > 0 && expected !== 'ask rule') {
        expect(verdict, line).toBe('allow');
      } else {
        expect(verdict, line).toBe(expected.split(' ')[0]);
      }
    }
  });

  test('is none for what no one could check again', () => {
    expect(proposed('ls \u202e')).toEqual([]);
    expect(proposed('touch *')).toEqual([]);
  });
});
