import { WebglAddon } from '@xterm/addon-webgl';
import type { Terminal } from '@xterm/xterm';
import type { GpuDrawing } from './webgl-pool.ts';

/**
 * Draws an open terminal by WebGL. Throws where there is no context. A loss is told when Chromium tells it: the addon
 * itself waits three seconds for the context to come back, with an empty pane.
 */
export function startDrawing(terminal: Terminal, onLost: () => void): GpuDrawing {
  const addon = new WebglAddon();
  try {
    terminal.loadAddon(addon);
  } catch (error) {
    addon.dispose();
    throw error;
  }
  const canvas = terminal.element?.querySelector<HTMLCanvasElement>('.xterm-screen > canvas:not(.xterm-link-layer)');
  const lost = (): void => onLost();
  canvas?.addEventListener('webglcontextlost', lost, { once: true });
  return {
    clearAtlas: () => addon.clearTextureAtlas(),
    dispose: () => {
      canvas?.removeEventListener('webglcontextlost', lost);
      // The same object that the addon draws with. Disposed of, the addon leaves it alive until it is collected.
      const context = canvas?.getContext('webgl2') ?? null;
      addon.dispose();
      if (context !== null && !context.isContextLost()) {
        context.getExtension('WEBGL_lose_context')?.loseContext();
      }
    },
  };
}
