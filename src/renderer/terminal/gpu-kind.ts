/** Renderers that are programs: SwiftShader, Mesa's llvmpipe and softpipe, Windows' WARP and its basic driver. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render|warp/i;

/**
 * Whether WebGL is drawn by a GPU here. Software is two to five times slower at it than the page is at drawing text. Costs a
 * context for a moment.
 */
export function hasRealGpu(page: Document): boolean {
  const context = page.createElement('canvas').getContext('webgl2', { failIfMajorPerformanceCaveat: true });
  if (context === null) {
    return false;
  }
  try {
    return isRealGpu(rendererName(context));
  } finally {
    context.getExtension('WEBGL_lose_context')?.loseContext();
  }
}

/** By what it calls itself; one without a name is none. */
export function isRealGpu(name: string): boolean {
  return name !== '' && !SOFTWARE.test(name);
}

function rendererName(context: WebGL2RenderingContext): string {
  const names = context.getExtension('WEBGL_debug_renderer_info');
  const name: unknown = context.getParameter(names?.UNMASKED_RENDERER_WEBGL ?? context.RENDERER);
  return typeof name === 'string' ? name : '';
}
