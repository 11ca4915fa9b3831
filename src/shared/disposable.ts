/** Something with one owner, who ends it. Ending it twice does nothing. */
export interface Disposable {
  dispose(): void;
}
