/** Version of the app, put in at build time from package.json. */
declare const __SHELLSCOPE_VERSION__: string;

/** e.g. `0.1.0`; `0.0.0-source` where no build put one in (unit tests). */
export const APP_VERSION: string =
  typeof __SHELLSCOPE_VERSION__ === 'undefined' ? '0.0.0-source' : __SHELLSCOPE_VERSION__;
