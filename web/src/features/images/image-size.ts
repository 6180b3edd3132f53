import { count } from '../../ui/numbers.ts';

const oneDecimal = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

/** "48 KB", "1.3 MB", "2 GB" */
export function sizeText(bytes: number): string {
  const kilobytes = bytes / 1024;
  if (kilobytes < 1024) return `${count(Math.ceil(kilobytes))} KB`;
  const megabytes = kilobytes / 1024;
  return megabytes < 1024
    ? `${oneDecimal.format(megabytes)} MB`
    : `${oneDecimal.format(megabytes / 1024)} GB`;
}
