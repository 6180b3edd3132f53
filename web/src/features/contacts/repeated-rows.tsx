import { quantity } from '../../ui/numbers.ts';

export function RepeatedRows({ repeated }: { repeated: number }) {
  return (
    <li>
      {quantity(
        repeated,
        'row repeats the address of an earlier row',
        'rows repeat the addresses of earlier rows',
      )}
      ; values of later rows win
    </li>
  );
}
