import type { Duplex } from 'node:stream';
import type { Engine } from '../../engine/engine.ts';
import type { Logger } from '../../shared/logger.ts';
import type { SessionId } from '../../shared/session.ts';
import type { ControlHostKind } from './control-wire.ts';

/** What a stream's handler is told of who asked for it. */
export interface StreamFacts {
  /** How the client called itself in its `hello`. */
  readonly client: string;
  /** What came with the request; not checked. */
  readonly params: unknown;
}

/**
 * Takes over a connection as a raw duplex of bytes. It owns the duplex from then on, its errors and its end: the
 * client's end arrives as `end` while the other direction stays open. One that throws has its duplex destroyed.
 */
export type StreamHandler = (duplex: Duplex, facts: StreamFacts) => void;

/** What the control socket gives access to. */
export interface ControlHost {
  readonly engine: Engine;
  readonly log: Logger;
  readonly kind: ControlHostKind;
  /** Of the program, for `hello`. */
  readonly version: string;
  /** Where agents reach the host by the exec-server protocol at this moment; null when they cannot. */
  readonly execServerUrl: () => string | null;
  /** Shows the window, with the session's tab in view unless it is null. Without a window there is none. */
  readonly open?: (session: SessionId | null) => Promise<void>;
  /** What a connection can become by the method `stream`, by name. */
  readonly streams?: ReadonlyMap<string, StreamHandler>;
}
