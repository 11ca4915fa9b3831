/** The part of the page's document that is listened to. */
type WatchedDocument = Pick<Document, 'visibilityState' | 'addEventListener'>;

/**
 * Whether anything of the window can be seen. Main tells of minimised and hidden windows; the page alone knows of one that
 * is wholly covered, where the system tells that, and takes itself for visible while somebody makes pictures of it.
 */
export class WindowVisibility {
  readonly #document: WatchedDocument;
  readonly #onChange: (isVisible: boolean) => void;
  #isShown = true;
  #wasVisible: boolean;

  constructor(document: WatchedDocument, onChange: (isVisible: boolean) => void) {
    this.#document = document;
    this.#onChange = onChange;
    this.#wasVisible = this.isVisible;
    document.addEventListener('visibilitychange', () => this.#changed());
  }

  get isVisible(): boolean {
    return this.#isShown && this.#document.visibilityState === 'visible';
  }

  /** Whether the window is neither minimised nor hidden. */
  setShown(isShown: boolean): void {
    this.#isShown = isShown;
    this.#changed();
  }

  #changed(): void {
    const { isVisible } = this;
    if (isVisible !== this.#wasVisible) {
      this.#wasVisible = isVisible;
      this.#onChange(isVisible);
    }
  }
}
