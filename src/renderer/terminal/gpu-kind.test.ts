import { describe, expect, it, vi } from 'vitest';
import { hasRealGpu, isRealGpu } from './gpu-kind.ts';

/** A page whose WebGL calls itself so; null: it has none, or none that is fast. */
function pageWith(renderer: string | null) {
  const loseContext = vi.fn();
  const asked: unknown[] = [];
  const context = {
    RENDERER: 0x1f01,
    getExtension: (name: string) =>
      name === 'WEBGL_lose_context' ? { loseContext } : { UNMASKED_RENDERER_WEBGL: 0x9246 },
    getParameter: (name: number) => (name === 0x9246 ? renderer : 'WebKit WebGL'),
  };
  const canvas = {
    getContext: (kind: string, attributes: unknown) => {
      asked.push([kind, attributes]);
      return renderer === null ? null : context;
    },
  };
  return { page: { createElement: () => canvas } as unknown as Document, loseContext, asked };
}

describe('what draws WebGL', () => {
  it.each([
    ['ANGLE (NVIDIA, NVIDIA GeForce RTX 3060 (0x00002503), OpenGL 4.6.0)', true],
    ['ANGLE (Intel, Mesa Intel(R) UHD Graphics 620 (KBL GT2), OpenGL ES 3.2)', true],
    ['ANGLE (Apple, ANGLE Metal Renderer: Apple M2, Unspecified Version)', true],
    ['ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero) (0x0000C0DE)), SwiftShader driver)', false],
    ['ANGLE (Mesa, llvmpipe (LLVM 15.0.6, 256 bits), OpenGL 4.5)', false],
    ['ANGLE (Microsoft, Microsoft Basic Render Driver (0x0000008C) Direct3D11 vs_5_0 ps_5_0)', false],
    ['', false],
  ])('%j is a real GPU: %s', (name, isReal) => {
    expect(isRealGpu(name)).toBe(isReal);
  });

  it('is asked of a context that is given back at once, and that software may refuse', () => {
    const { page, loseContext, asked } = pageWith('ANGLE (AMD, AMD Radeon RX 6600, OpenGL 4.6)');
    expect(hasRealGpu(page)).toBe(true);
    expect(asked).toEqual([['webgl2', { failIfMajorPerformanceCaveat: true }]]);
    expect(loseContext).toHaveBeenCalledOnce();
  });

  it('is no real GPU where there is no context', () => {
    expect(hasRealGpu(pageWith(null).page)).toBe(false);
  });
});
