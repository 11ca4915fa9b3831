import type { MenuPossibilities } from '../../shared/menu-items.ts';
import { WINDOW_COMMAND_NAMES, type WindowCommand } from '../../shared/window-commands.ts';
import { isTextField } from './page-selection.ts';

/** Changes come with each piece of output; the menu may be so late, in milliseconds, since what it disables is what would do nothing. */
const TOLD_AFTER_MS = 200;

export interface MenuPossibilitiesFeedOptions {
  readonly page: Window;
  readonly isAvailable: (command: WindowCommand) => boolean;
  readonly tell: (possibilities: MenuPossibilities) => Promise<unknown>;
}

/** Tells the application menu what cannot be done in this window, for as long as the page is there. */
export class MenuPossibilitiesFeed {
  readonly #options: MenuPossibilitiesFeedOptions;
  #isDue = false;
  #told = '';

  constructor(options: MenuPossibilitiesFeedOptions) {
    this.#options = options;
    const { document } = options.page;
    document.addEventListener('focusin', () => this.changed());
    document.addEventListener('focusout', () => this.changed());
  }

  /** Something changed by which it is decided. */
  changed(): void {
    if (this.#isDue) {
      return;
    }
    this.#isDue = true;
    this.#options.page.setTimeout(() => {
      this.#isDue = false;
      this.#tell();
    }, TOLD_AFTER_MS);
  }

  #tell(): void {
    const { page, isAvailable, tell } = this.#options;
    const possibilities: MenuPossibilities = {
      impossible: WINDOW_COMMAND_NAMES.filter((command) => !isAvailable(command)),
      isTextField: isTextField(page.document.activeElement),
    };
    const told = JSON.stringify(possibilities);
    if (told !== this.#told) {
      this.#told = told;
      // An item too many in the menu does nothing: that is nothing to tell a person of.
      tell(possibilities).catch(() => undefined);
    }
  }
}
