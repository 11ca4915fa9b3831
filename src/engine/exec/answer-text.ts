import type { ModelText } from '../session/model-text.ts';
import { truncateMiddle, type TruncatedText } from './truncate.ts';

/** What models are told a token is, in bytes. */
const BYTES_PER_TOKEN = 4;

/** An output cut to what one answer may hold. */
export interface CutOutput extends TruncatedText {
  /** Of the whole output, cut or not. */
  readonly originalTokens: number;
}

/**
 * Cuts the output of an answer to so many bytes, marker included (B5). `wholeOutput` says where all of it can be read;
 * it is left out of the marker where it would take more than half of the room.
 */
export function cutOutput(
  { parts, skippedBytes }: Pick<ModelText, 'parts' | 'skippedBytes'>,
  maxBytes: number,
  wholeOutput: string | null,
): CutOutput {
  const tokensOf = (bytes: number) => Math.ceil(bytes / BYTES_PER_TOKEN);
  const short = (bytes: number) => `…${tokensOf(bytes)} tokens truncated…`;
  const long = (bytes: number) => `…${tokensOf(bytes)} tokens truncated; all of it: ${wholeOutput}…`;
  const [head, tail] = parts;
  const cut = truncateMiddle(
    tail === undefined ? head : { head, tail, skippedBytes },
    maxBytes,
    ...(wholeOutput === null ? [short] : [long, short]),
  );
  const bytes = parts.reduce((sum, part) => sum + Buffer.byteLength(part), skippedBytes);
  return { ...cut, originalTokens: tokensOf(bytes) };
}

/** Bytes that so many tokens stand for. */
export function bytesOfTokens(tokens: number): number {
  return tokens * BYTES_PER_TOKEN;
}
