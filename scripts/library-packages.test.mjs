// @ts-check
import { describe, expect, it } from 'vitest';
import {
  chooseArchPackages,
  chooseDebianPackages,
  chooseRpmProvides,
  debianNames,
  debianPackages,
  parseAptCandidates,
  parseMissingLibraries,
} from './library-packages.mjs';

const lddOutput = [
  '\tlinux-vdso.so.1 (0x00007ffd0a9f2000)',
  '\tlibffmpeg.so => /opt/electron/libffmpeg.so (0x00007f1c8e200000)',
  '\tlibnss3.so => not found',
  '\tlibnssutil3.so => not found',
  '\tlibasound.so.2 => not found',
  '\tlibnss3.so => not found',
  '\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f1c8de00000)',
  '\t/lib64/ld-linux-x86-64.so.2 (0x00007f1c8e7a1000)',
  '',
].join('\n');

const aptOutput = [
  'libasound2t64:',
  '  Installed: (none)',
  '  Candidate: (none)',
  '  Version table:',
  'libasound2:',
  '  Installed: (none)',
  '  Candidate: 1.2.8-1+b1',
  '  Version table:',
  '     1.2.8-1+b1 500',
  '        500 http://deb.debian.org/debian bookworm/main amd64 Packages',
  'xvfb:',
  '  Installed: 2:21.1.7-3+deb12u9',
  '  Candidate: 2:21.1.7-3+deb12u12',
  '  Version table:',
  '',
].join('\n');

describe('the libraries that are missing', () => {
  it('are those that ldd did not find, each once', () => {
    expect(parseMissingLibraries(lddOutput)).toEqual(['libnss3.so', 'libnssutil3.so', 'libasound.so.2']);
  });

  it('are none in the output for a complete program', () => {
    expect(parseMissingLibraries('\tlibc.so.6 => /lib/libc.so.6 (0x1)\n')).toEqual([]);
  });
});

describe('the packages that apt could install', () => {
  it('are those with a candidate', () => {
    expect(parseAptCandidates(aptOutput)).toEqual(new Set(['libasound2', 'xvfb']));
  });

  it('are none in empty output', () => {
    expect(parseAptCandidates('')).toEqual(new Set());
  });
});

describe('the choice of Debian packages', () => {
  const missing = { libraries: ['libnss3.so', 'libnssutil3.so', 'libasound.so.2'], xvfb: true, programs: [] };

  it('takes the old name where apt does not know the t64 one', () => {
    expect(chooseDebianPackages(missing, parseAptCandidates(aptOutput))).toEqual({
      packages: ['libasound2', 'libnss3', 'xvfb'],
      unknown: [],
    });
  });

  it('has the programs that tests run', () => {
    const wanted = { libraries: [], xvfb: false, programs: ['bubblewrap', 'htop'] };
    expect(debianNames(wanted)).toEqual(['bubblewrap', 'htop']);
    expect(chooseDebianPackages(wanted, new Set())).toEqual({ packages: ['bubblewrap', 'htop'], unknown: [] });
  });

  it('takes the t64 name where apt knows it', () => {
    const known = new Set(['libasound2', 'libasound2t64', 'libnss3']);
    expect(chooseDebianPackages({ ...missing, xvfb: false, programs: [] }, known)).toEqual({
      packages: ['libasound2t64', 'libnss3'],
      unknown: [],
    });
  });

  it('names a library that no package is known for', () => {
    expect(chooseDebianPackages({ libraries: ['libnew.so.9'], xvfb: false, programs: [] }, new Set())).toEqual({
      packages: [],
      unknown: ['libnew.so.9'],
    });
  });

  it('asks apt about every name a missing library may have', () => {
    expect(debianNames(missing)).toEqual(['libnss3', 'libasound2t64', 'libasound2', 'xvfb']);
  });

  it('puts the t64 name first wherever there is one', () => {
    const wrong = Object.values(debianPackages).filter((names) => names.findIndex((name) => name.endsWith('t64')) > 0);
    expect(wrong).toEqual([]);
  });
});

it('asks dnf for sonames', () => {
  expect(chooseRpmProvides({ libraries: ['libnss3.so'], xvfb: true, programs: [] }, true)).toEqual({
    packages: ['libnss3.so()(64bit)', 'xorg-x11-server-Xvfb'],
    unknown: [],
  });
});

it('asks pacman for Arch packages', () => {
  expect(chooseArchPackages({ libraries: ['libgtk-3.so.0', 'libodd.so.1'], xvfb: false, programs: [] })).toEqual({
    packages: ['gtk3'],
    unknown: ['libodd.so.1'],
  });
});
