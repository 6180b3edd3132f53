export interface ErasureSlice {
  /** About how long one call may take. Without it, as earlier versions of the workflows call it, it works to the end. */
  sliceMs?: number;
}

/** Short enough for all erasures to take turns, long enough to hide what each slice costs to begin. */
export const erasureSlice = { sliceMs: 20_000 } satisfies ErasureSlice;
