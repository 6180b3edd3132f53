import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from './button.tsx';
import { copyText } from './copy-text.ts';
import { sayError } from './toast.tsx';

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isCopied, setIsCopied] = useState(false);
  const copy = async () => {
    await copyText(text);
    setIsCopied(true);
    setTimeout(() => setIsCopied(false), 1_500);
  };
  return (
    <IconButton label={isCopied ? 'Copied' : label} onPress={() => void copy().catch(sayError)}>
      {isCopied ? <Check className="size-4 text-good" /> : <Copy className="size-4" />}
    </IconButton>
  );
}

/** A value to copy: an id, a key, a DNS record. */
export function CopyText({ text, label }: { text: string; label?: string }) {
  return (
    <span className="inline-flex min-w-0 items-center gap-1">
      <code className="min-w-0 font-mono text-xs break-all">{text}</code>
      <CopyButton text={text} {...(label !== undefined && { label })} />
    </span>
  );
}
