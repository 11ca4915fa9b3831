/** Absolute path of a file that the build puts beside the code (`vite.wasm-file.config.ts`). */
declare module '*.wasm?file' {
  const path: string;
  export default path;
}
