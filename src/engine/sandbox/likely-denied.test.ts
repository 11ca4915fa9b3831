import { describe, expect, test } from 'vitest';
import { likelyDenied, type LikelyDenied } from './likely-denied.ts';

/** What commands said in a read-only sandbox without network (bubblewrap 0.8, Debian 12), with their exit codes. */
const OUTPUTS: readonly (readonly [command: string, exitCode: number, output: string, expected: LikelyDenied])[] = [
  ['touch a', 1, "touch: cannot touch 'a': Read-only file system", 'file-system'],
  ['echo x > a', 1, 'bash: line 1: a: Read-only file system', 'file-system'],
  ['mkdir d', 1, 'mkdir: cannot create directory ‘d’: Read-only file system', 'file-system'],
  ['rm b', 1, "rm: cannot remove 'b': Read-only file system", 'file-system'],
  ['cp a b', 1, "cp: cannot create regular file 'b': Read-only file system", 'file-system'],
  ['mv a b', 1, "mv: cannot move 'a' to 'b': Read-only file system", 'file-system'],
  ['ln -s a b', 1, "ln: failed to create symbolic link 'b': Read-only file system", 'file-system'],
  ['git init r', 128, 'fatal: cannot mkdir r: Read-only file system', 'file-system'],
  ['git commit', 128, "fatal: Unable to create '/w/.git/index.lock': Read-only file system", 'file-system'],
  ['npm init -y', 226, 'npm error code EROFS\nnpm error syscall open\nnpm error path /w/package.json', 'file-system'],
  ['python3', 1, "Traceback (most recent call last):\nOSError: [Errno 30] Read-only file system: 'a'", 'file-system'],
  [
    'node',
    1,
    "Error: EROFS: read-only file system, open 'a'\n    at Object.writeFileSync (node:fs:2380:20)",
    'file-system',
  ],
  ['sed -i', 4, "sed: couldn't open temporary file /w/sedtoCVvv: Read-only file system", 'file-system'],
  ['chmod', 1, "chmod: changing permissions of 'a': Read-only file system", 'file-system'],
  ['gcc', 134, 'Cannot create temporary file in ./: Read-only file system', 'file-system'],
  ['apt-get', 100, 'E: Unable to mkstemp /tmp/clearsigned.x - GetTempFile (30: Read-only file system)', 'file-system'],
  ['mount', 32, 'mount: /mnt: permission denied.', 'file-system'],
  ['su', 1, 'su: cannot set groups: Operation not permitted', 'file-system'],
  ['mv .git .other', 1, "mv: cannot move '.git' to '.other': Device or resource busy", 'file-system'],
  ['touch on macOS', 1, 'touch: a: Operation not permitted', 'file-system'],
  ['npm install', 1, 'npm error code EAI_AGAIN\nnpm error syscall getaddrinfo', 'network'],
  ['curl', 6, 'curl: (6) Could not resolve host: example.org', 'network'],
  ['wget', 4, 'wget: unable to resolve host address ‘example.org’', 'network'],
  ['git ls-remote', 128, "fatal: unable to access 'https://x/y/': Could not resolve host: x", 'network'],
  ['fetch', 1, 'TypeError: fetch failed\n  [cause]: Error: getaddrinfo EAI_AGAIN example.org', 'network'],
  ['socket', 1, 'OSError: [Errno 101] Network is unreachable', 'network'],
  ['ssh', 255, 'ssh: connect to host 192.0.2.1 port 22: Network is unreachable', 'network'],
  // Through the proxy of a sandbox that may reach other hosts
  ['curl, a tunnel', 56, 'curl: (56) CONNECT tunnel failed, response 403', 'network'],
  ['curl before 7.86', 56, 'curl: (56) Received HTTP code 403 from proxy after CONNECT', 'network'],
  ['curl, SOCKS', 97, "curl: (97) Can't complete SOCKS5 connection to example.org. (2)", 'network'],
  ['wget, a tunnel', 4, 'Proxy tunneling failed: Refused by the sandboxUnable to establish SSL connection.', 'network'],
  ['wget', 8, '2026-11-21 12:58:03 ERROR 403: Refused by the sandbox.', 'network'],
  [
    'git by proxy',
    128,
    "fatal: unable to access 'https://example.org/x/': CONNECT tunnel failed, response 403",
    'network',
  ],
  ['npm by proxy', 1, 'npm error code E403\nnpm error 403 403 Refused by the sandbox - GET https://e/x', 'network'],
  [
    'urllib',
    1,
    'urllib.error.URLError: <urlopen error Tunnel connection failed: 403 Refused by the sandbox>',
    'network',
  ],
  [
    'apt-get by proxy',
    100,
    'E: Failed to fetch http://d/b.deb  403  Refused by the sandbox [IP: 127.0.0.1 31280]',
    'network',
  ],
  // Failures with other causes
  ['curl, refused by the server itself', 22, 'curl: (22) The requested URL returned error: 403', null],
  ['false', 1, '', null],
  ['grep', 1, '', null],
  ['exit 2', 2, '', null],
  ['ls /nope', 2, "ls: cannot access '/nope': No such file or directory", null],
  ['tar', 2, 'tar: x.tar: Cannot open: No such file or directory', null],
  ['make', 2, 'make: *** /nope: No such file or directory.  Stop.', null],
  ['cargo', 101, 'error: could not find `Cargo.toml` in `/w` or any parent directory', null],
  ['no program', 127, 'bash: line 1: nosuchprogram: command not found', null],
  ['no program by a path', 127, 'bash: line 1: ./nox: No such file or directory', null],
  ['no right to execute', 126, 'bash: line 1: ./a.txt: Permission denied', null],
  ['ssh with no key', 255, 'git@example.org: Permission denied (publickey,password).', null],
  ['tests', 1, '3 failed, 14 passed', null],
  // Nothing points to it, though it was denied: these say nothing, or the same as without a sandbox.
  ['curl -s', 6, '', null],
  ['a closed port', 1, 'bash: connect: Connection refused', null],
  ['sqlite3', 1, 'Error: unable to open database "x.db": unable to open database file', null],
];

describe('whether a sandbox likely denied it', () => {
  test.each(OUTPUTS.map(([command, exitCode, output, expected]) => ({ command, exitCode, output, expected })))(
    '$command → $expected',
    ({ exitCode, output, expected }) => {
      expect(likelyDenied({ exitCode, signal: null }, output)).toBe(expected);
    },
  );

  test('what succeeded was not denied, whatever it printed', () => {
    for (const [, , output] of OUTPUTS) {
      expect(likelyDenied({ exitCode: 0, signal: null }, output)).toBeNull();
    }
  });

  test('what was killed, or ended nobody knows how, says nothing of a sandbox', () => {
    expect(likelyDenied({ exitCode: null, signal: 'SIGKILL' }, 'Read-only file system')).toBeNull();
    expect(likelyDenied({ exitCode: null, signal: null }, 'Read-only file system')).toBeNull();
  });

  test('a system call that a filter kills by is denied', () => {
    expect(likelyDenied({ exitCode: null, signal: 'SIGSYS' }, '')).toBe('system-call');
    expect(likelyDenied({ exitCode: 159, signal: null }, '')).toBe('system-call');
  });

  test('only the end of the output counts', () => {
    const early = `Read-only file system${'.'.repeat(64 * 1024)}`;
    expect(likelyDenied({ exitCode: 1, signal: null }, early)).toBeNull();
    expect(likelyDenied({ exitCode: 1, signal: null }, `${early}\nRead-only file system`)).toBe('file-system');
  });
});
