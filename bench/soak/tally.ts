/** What was wrong. Each of these makes the soak fail. */
export type FaultKind =
  /** Bytes that a child printed never came. */
  | 'lost'
  /** The bytes that came are not those that the child printed. */
  | 'changed'
  /** A reader was told a wrong number of missed bytes, or none, or of some that could still be had. */
  | 'gap'
  /** A session's facts are not what happened to it. */
  | 'facts'
  /** Something did not come to its end in time. */
  | 'hung'
  /** The engine refused or threw what it should not have. */
  | 'error';

/** Faults that are told apart in full; of what comes after them only the number is kept. */
const FAULTS_TOLD = 20;

/** Everything that the soak counts. */
export class Tally {
  started = 0;
  ended = 0;
  /** By checksum, in the order printed. */
  bytesBySum = 0;
  /** By place, as readers saw them that come and go. */
  bytesByPlace = 0;
  /** By checksum, from the disk, after memory had let go of most of them. */
  bytesReadBack = 0;
  bytesLost = 0;
  /** Sessions that were closed, by wish, before the listener had everything; and what it did not get of them. */
  forgottenEarly = 0;
  bytesNotGivenOut = 0;
  gaps = 0;
  gapBytes = 0;
  visits = 0;
  readonly startToFirstByteMs: number[] = [];
  readonly exitToToldMs: number[] = [];
  readonly killToToldMs: number[] = [];
  readonly #faults = new Map<FaultKind, number>();
  readonly #told: string[] = [];

  /** Texts of the first faults. */
  get told(): readonly string[] {
    return this.#told;
  }

  fault(kind: FaultKind, text: string): void {
    this.#faults.set(kind, this.faultsOf(kind) + 1);
    if (this.#told.length < FAULTS_TOLD) {
      this.#told.push(`${kind}: ${text}`);
    }
  }

  faultsOf(kind: FaultKind): number {
    return this.#faults.get(kind) ?? 0;
  }

  /** Faults that make the soak fail. */
  get faults(): number {
    return [...this.#faults].reduce((sum, [, count]) => sum + count, 0);
  }
}
