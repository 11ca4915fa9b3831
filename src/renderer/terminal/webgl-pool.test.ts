import { describe, expect, it } from 'vitest';
import { WebglPool, type StartDrawing, type UsedRenderer } from './webgl-pool.ts';

/** A pool over a GPU that only writes down what it is asked for. */
function startPool({ isReal = true, failsToLoad = false } = {}) {
  const log: string[] = [];
  const losses = new Map<string, () => void>();
  const idle: (() => void)[] = [];
  const gpu = { isReal, looks: 0, loads: 0, isOut: false };
  const start: StartDrawing<string> = (terminal, onLost) => {
    if (gpu.isOut) {
      throw new Error('no context');
    }
    losses.set(terminal, onLost);
    log.push(`start ${terminal}`);
    return { clearAtlas: () => log.push(`clear ${terminal}`), dispose: () => log.push(`give back ${terminal}`) };
  };
  const pool = new WebglPool<string>({
    load: async () => {
      gpu.loads += 1;
      return failsToLoad ? Promise.reject(new Error('no such file')) : start;
    },
    hasRealGpu: () => {
      gpu.looks += 1;
      return gpu.isReal;
    },
    whenIdle: (act) => idle.push(act),
  });
  const drawnBy = new Map<string, UsedRenderer>();
  const enter = (terminal: string) => pool.enter(terminal, (renderer) => drawnBy.set(terminal, renderer));
  /** Lets the page have nothing to do. */
  const rest = async (): Promise<void> => {
    for (const act of idle.splice(0)) {
      act();
    }
    await new Promise<void>((resolve) => void setTimeout(resolve));
  };
  const drawnByGpu = (): string[] => [...drawnBy].filter(([, by]) => by === 'webgl').map(([terminal]) => terminal);
  const lose = (terminal: string): void => losses.get(terminal)?.();
  return { pool, log, gpu, enter, rest, drawnBy, drawnByGpu, lose };
}

/** A pool with a GPU that is ready, and a terminal that got it there. */
async function readyPool() {
  const played = startPool();
  const first = played.enter('a');
  first.setReady();
  await played.rest();
  return { ...played, first };
}

describe('the pool of WebGL contexts', () => {
  it('looks at the GPU and loads its code when a terminal is ready and the page rests, once', async () => {
    const { gpu, enter, rest, drawnBy } = startPool();
    const place = enter('a');
    await rest();
    expect(gpu).toMatchObject({ looks: 0, loads: 0 });
    place.setReady();
    expect(gpu).toMatchObject({ looks: 0, loads: 0 });
    expect(drawnBy.get('a')).toBe('dom');
    await rest();
    expect(drawnBy.get('a')).toBe('webgl');
    enter('b').setReady();
    await rest();
    expect(drawnBy.get('b')).toBe('webgl');
    expect(gpu).toMatchObject({ looks: 1, loads: 1 });
  });

  it('leaves terminals to the page where the GPU is a program, and loads nothing', async () => {
    const { gpu, enter, rest, drawnBy } = startPool({ isReal: false });
    enter('a').setReady();
    await rest();
    enter('b').setReady();
    await rest();
    expect([...drawnBy.values()]).toEqual(['dom', 'dom']);
    expect(gpu).toMatchObject({ looks: 1, loads: 0 });
  });

  it('takes any GPU when the person chose WebGL, without a look, and none for DOM', async () => {
    const { pool, gpu, log, enter, rest, drawnByGpu } = startPool({ isReal: false });
    enter('a').setReady();
    pool.setChoice('webgl');
    await rest();
    expect(drawnByGpu()).toEqual(['a']);
    pool.setChoice('dom');
    expect(drawnByGpu()).toEqual([]);
    expect(log).toEqual(['start a', 'give back a']);
    pool.setChoice('auto');
    await rest();
    expect(drawnByGpu()).toEqual([]);
    expect(gpu).toMatchObject({ looks: 1, loads: 1 });
  });

  it('gives four contexts to those in view, and takes none away from a pane in view', async () => {
    const { enter, drawnByGpu } = await readyPool();
    for (const terminal of ['b', 'c', 'd', 'e', 'f']) {
      enter(terminal);
    }
    expect(drawnByGpu()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('takes the context back from what goes out of view, and gives it to who has waited longest', async () => {
    const { first, log, enter, drawnByGpu } = await readyPool();
    const places = ['b', 'c', 'd', 'e', 'f'].map((terminal) => enter(terminal));
    first.setInView(false);
    expect(drawnByGpu()).toEqual(['b', 'c', 'd', 'e']);
    expect(log.slice(-2)).toEqual(['give back a', 'start e']);
    // Back in view it comes last.
    first.setInView(true);
    places[0]?.dispose();
    expect(log.slice(-2)).toEqual(['give back b', 'start f']);
    for (const place of places) {
      place.setInView(false);
    }
    first.setInView(false);
    expect(log.filter((entry) => entry.startsWith('start'))).toHaveLength(
      log.filter((entry) => entry.startsWith('give back')).length,
    );
  });

  it('leaves a terminal that lost its context to the page, and tries no other when three are lost', async () => {
    const { pool, log, enter, rest, drawnByGpu, lose, first } = await readyPool();
    for (const terminal of ['b', 'c', 'd']) {
      enter(terminal);
    }
    lose('a');
    expect(drawnByGpu()).toEqual(['b', 'c', 'd']);
    first.setInView(false);
    first.setInView(true);
    expect(drawnByGpu()).toEqual(['b', 'c', 'd']);
    lose('b');
    lose('c');
    enter('e');
    await rest();
    expect(drawnByGpu()).toEqual([]);
    expect(log.filter((entry) => entry.startsWith('start'))).toHaveLength(4);
    // Another choice of the person is another try.
    pool.setChoice('webgl');
    await rest();
    expect(drawnByGpu()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('goes on with the page where no context or no code can be had', async () => {
    const { gpu, enter, drawnBy } = await readyPool();
    gpu.isOut = true;
    enter('b');
    expect(drawnBy.get('b')).toBe('dom');

    const broken = startPool({ failsToLoad: true });
    broken.enter('a').setReady();
    await broken.rest();
    expect(broken.drawnBy.get('a')).toBe('dom');
  });

  it('has the glyphs of all drawn anew together', async () => {
    const { pool, log, enter } = await readyPool();
    enter('b');
    log.length = 0;
    pool.clearAtlases();
    expect(log).toEqual(['clear a', 'clear b']);
  });

  it('gives all back when it goes', async () => {
    const { pool, log, enter } = await readyPool();
    enter('b');
    log.length = 0;
    pool.dispose();
    expect(log).toEqual(['give back a', 'give back b']);
  });
});
