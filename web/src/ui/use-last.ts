import { useState } from 'react';

/** The last value that was not undefined; so a drawer keeps its content during the closing animation. */
export function useLast<Value>(value: Value | undefined): Value | undefined {
  const [last, setLast] = useState(value);
  if (value !== undefined && value !== last) setLast(value);
  return value ?? last;
}
