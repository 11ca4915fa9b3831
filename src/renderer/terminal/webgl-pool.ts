import type { Disposable } from '../../shared/disposable.ts';
import type { WindowSettings } from '../../shared/settings-schema.ts';

/**
 * WebGL contexts of one window. Chromium keeps 16 a page and takes the oldest one's away for a further one, three seconds
 * before the terminal would hear of it; four panes are as many as are watched at once, and each costs memory of the GPU.
 */
const MAX_CONTEXTS = 4;

/** Contexts lost in this window after which the GPU's driver is taken to be broken: the page draws from then on. */
const MAX_LOSSES = 3;

export type RendererChoice = WindowSettings['terminal']['renderer'];

/** What draws a terminal: elements of the page, or the GPU. */
export type UsedRenderer = 'dom' | 'webgl';

/** A terminal's drawing by the GPU. Disposing of it gives the context back, and the page draws again. */
export interface GpuDrawing extends Disposable {
  /** Glyphs are drawn anew: those in the atlas are of another font, colour or size of a pixel. */
  clearAtlas(): void;
}

/** Draws a terminal by the GPU from now on, and tells once when the context is lost. Throws where none can be had. */
export type StartDrawing<Terminal> = (terminal: Terminal, onLost: () => void) => GpuDrawing;

/** A terminal's place in the pool: in view from the start. */
export interface PoolPlace extends Disposable {
  setInView(isInView: boolean): void;
  /** The terminal shows what it was opened for; what takes time may be done from now on. */
  setReady(): void;
}

export interface WebglPoolOptions<Terminal> {
  /** Called once, and only when something is to be drawn by the GPU: the code for it is large. */
  readonly load: () => Promise<StartDrawing<Terminal>>;
  /** Whether there is a GPU that is no program itself. Asked once, and only for `auto`. */
  readonly hasRealGpu: () => boolean;
  /** Calls back when the page has nothing else to do. */
  readonly whenIdle: (act: () => void) => void;
}

interface Place<Terminal> {
  readonly terminal: Terminal;
  readonly onRenderer: (renderer: UsedRenderer) => void;
  isInView: boolean;
  /** It lost its context, or got none: it is not tried again. */
  isRefused: boolean;
  drawing: GpuDrawing | null;
}

/**
 * Which terminals the GPU draws: those in view, as long as there are contexts for them, where the settings and the GPU
 * allow it. All others are drawn by the page, which every terminal begins with. A context is never taken from a pane in
 * view: to change what draws it changes the size of its cells.
 */
export class WebglPool<Terminal> implements Disposable {
  readonly #options: WebglPoolOptions<Terminal>;
  /** In the order in which they came into view. */
  readonly #places = new Set<Place<Terminal>>();
  #choice: RendererChoice = 'auto';
  #start: StartDrawing<Terminal> | null = null;
  #hasRealGpu: boolean | null = null;
  #isReady = false;
  #isPreparing = false;
  #losses = 0;
  #isDisposed = false;

  constructor(options: WebglPoolOptions<Terminal>) {
    this.#options = options;
  }

  /** Takes the person's choice; another one than before forgets what was lost. */
  setChoice(choice: RendererChoice): void {
    if (choice === this.#choice) {
      return;
    }
    this.#choice = choice;
    this.#losses = 0;
    for (const place of this.#places) {
      place.isRefused = false;
    }
    this.#deal();
    this.#prepare();
  }

  /** Takes in a terminal that is open and in view. `onRenderer` is told of what draws it, each time that this changes. */
  enter(terminal: Terminal, onRenderer: (renderer: UsedRenderer) => void): PoolPlace {
    const place: Place<Terminal> = { terminal, onRenderer, isInView: true, isRefused: false, drawing: null };
    this.#places.add(place);
    onRenderer('dom');
    this.#deal();
    return {
      setInView: (isInView) => this.#setInView(place, isInView),
      setReady: () => {
        this.#isReady = true;
        this.#prepare();
      },
      dispose: () => {
        this.#places.delete(place);
        place.drawing?.dispose();
        place.drawing = null;
        this.#deal();
      },
    };
  }

  /** The glyphs of all terminals are drawn anew. Together, since terminals of one font share an atlas. */
  clearAtlases(): void {
    for (const { drawing } of this.#places) {
      drawing?.clearAtlas();
    }
  }

  dispose(): void {
    this.#isDisposed = true;
    for (const place of this.#places) {
      place.drawing?.dispose();
    }
    this.#places.clear();
  }

  get #isWanted(): boolean {
    const isChosen = this.#choice === 'webgl' || (this.#choice === 'auto' && this.#hasRealGpu === true);
    return isChosen && this.#losses < MAX_LOSSES;
  }

  get #lacksLook(): boolean {
    return this.#choice === 'auto' && this.#hasRealGpu === null;
  }

  #setInView(place: Place<Terminal>, isInView: boolean): void {
    if (place.isInView === isInView || !this.#places.has(place)) {
      return;
    }
    place.isInView = isInView;
    // Whoever comes into view comes last.
    this.#places.delete(place);
    this.#places.add(place);
    this.#deal();
  }

  #prepare(): void {
    if (this.#isReady && !this.#isPreparing && (this.#lacksLook || (this.#isWanted && this.#start === null))) {
      this.#isPreparing = true;
      this.#options.whenIdle(() => void this.#load());
    }
  }

  async #load(): Promise<void> {
    try {
      if (this.#lacksLook) {
        this.#hasRealGpu = this.#options.hasRealGpu();
      }
      if (this.#isWanted) {
        this.#start ??= await this.#options.load();
      }
    } catch {
      // The page goes on drawing, as it does without a GPU; another terminal's being ready tries again.
      return;
    } finally {
      this.#isPreparing = false;
    }
    this.#deal();
  }

  /** Gives back what is not to be had any more, and gives out what there is. */
  #deal(): void {
    const start = this.#isWanted && !this.#isDisposed ? this.#start : null;
    for (const place of this.#places) {
      if (place.drawing !== null && (start === null || !place.isInView)) {
        this.#release(place);
      }
    }
    for (const place of this.#places) {
      if (start !== null && this.#canDraw(place)) {
        this.#draw(place, start);
      }
    }
  }

  #canDraw({ isInView, isRefused, drawing }: Place<Terminal>): boolean {
    const used = [...this.#places].filter((place) => place.drawing !== null).length;
    return this.#isWanted && isInView && !isRefused && drawing === null && used < MAX_CONTEXTS;
  }

  #draw(place: Place<Terminal>, start: StartDrawing<Terminal>): void {
    try {
      place.drawing = start(place.terminal, () => this.#lost(place));
    } catch {
      // No context, though there seemed to be a GPU: the page draws.
      this.#refuse(place);
      return;
    }
    place.onRenderer('webgl');
  }

  #lost(place: Place<Terminal>): void {
    this.#refuse(place);
    if (place.drawing !== null) {
      this.#release(place);
    }
    // What was given back goes to nobody yet: when the GPU fails, all contexts are lost one after the other.
    if (!this.#isWanted) {
      this.#deal();
    }
  }

  #refuse(place: Place<Terminal>): void {
    place.isRefused = true;
    this.#losses += 1;
  }

  #release(place: Place<Terminal>): void {
    place.drawing?.dispose();
    place.drawing = null;
    place.onRenderer('dom');
  }
}
