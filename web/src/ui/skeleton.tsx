import { classNames } from './class-names.ts';

/** A placeholder while loading. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <div aria-hidden className={classNames('animate-pulse rounded bg-hover', className ?? 'h-4 w-full')} />
  );
}

export function SkeletonRows({ rows = 8 }: { rows?: number }) {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-3 py-2">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
        <Skeleton key={row} className="h-5 w-full" />
      ))}
    </div>
  );
}
