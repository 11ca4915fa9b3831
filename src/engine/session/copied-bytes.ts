/** Bytes that are copied one by one: to make a view of them takes longer. */
const FEW_BYTES = 48;

/** Copies the bytes from one index to another to a place of the target, which has room for them. */
export function copyBytes(
  from: Uint8Array,
  { begin, end }: { readonly begin: number; readonly end: number },
  target: Uint8Array,
  at: number,
): void {
  const length = end - begin;
  if (length > FEW_BYTES) {
    target.set(from.subarray(begin, end), at);
    return;
  }
  for (let index = 0; index < length; index += 1) {
    target[at + index] = from[begin + index] ?? 0;
  }
}
