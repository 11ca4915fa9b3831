import { readFile } from 'node:fs/promises';
import { extname, join, normalize, sep } from 'node:path';
import { protocol } from 'electron';

/** Our own pages live here. A file:// page could read other files; this can reach one folder only. */
const SCHEME = 'app';
export const APP_ORIGIN = `${SCHEME}://shellscope`;

/** xterm puts its styles into the page, hence the one exception. Nothing remote, no frames, no plug-ins, no forms. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

/** Must run before the app is ready. */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ]);
}

/** Serves the built window from `folder`, and nothing beside it. */
export function serveAppScheme(folder: string): void {
  protocol.handle(SCHEME, async ({ url }) => {
    const { host, pathname } = new URL(url);
    const file = normalize(join(folder, decodeURIComponent(pathname === '/' ? '/index.html' : pathname)));
    const type = CONTENT_TYPES[extname(file)];
    if (host !== 'shellscope' || !file.startsWith(folder + sep) || type === undefined) {
      return new Response('not found', { status: 404 });
    }
    try {
      return new Response(new Uint8Array(await readFile(file)), {
        headers: {
          'content-type': type,
          'content-security-policy': CONTENT_SECURITY_POLICY,
          'x-content-type-options': 'nosniff',
        },
      });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
        return new Response('not found', { status: 404 });
      }
      throw error;
    }
  });
}
