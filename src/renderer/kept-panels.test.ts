import { describe, expect, it } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { keepOpenPanels, readOpenPanels } from './kept-panels.ts';
import { INITIAL_WINDOW_STATE, type WindowState } from './window-state.ts';

function memory(text: string | null = null) {
  const kept = { text, writes: 0 };
  return {
    kept,
    getItem: () => kept.text,
    setItem: (_key: string, value: string) => {
      kept.text = value;
      kept.writes += 1;
    },
  };
}

describe('the open panels', () => {
  it('are closed at first', () => {
    expect(readOpenPanels(memory())).toEqual({ sessions: false, timeline: false });
  });

  it('are as they were left, and written only when they change', () => {
    const storage = memory();
    const state = createStore<WindowState>(() => INITIAL_WINDOW_STATE);
    const stop = keepOpenPanels(state, storage);
    state.setState({ isConnectPanelOpen: true });
    expect(storage.kept.writes).toBe(0);
    state.setState({ panels: { sessions: false, timeline: true } });
    expect(readOpenPanels(storage)).toEqual({ sessions: false, timeline: true });
    stop();
    state.setState({ panels: { sessions: true, timeline: true } });
    expect(storage.kept.writes).toBe(1);
  });

  it.each(['{', 'null', '7', '{"timeline":true}', '["other"]'])('are closed where %j was kept', (text) => {
    expect(readOpenPanels(memory(text))).toEqual({ sessions: false, timeline: false });
  });
});
