import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';

/** `sk_••••••••`: shows the kind of secret only. */
export const masked = (secret: string): string => `${secret.slice(0, secret.indexOf('_') + 1)}••••••••••••`;

/** Hidden until the user reveals it; can be copied while hidden. */
export function SecretText({ secret, name }: { secret: string; name: string }) {
  const [isShown, setIsShown] = useState(false);
  return (
    <span className="inline-flex min-w-0 items-center gap-1">
      <code className="min-w-0 font-mono text-xs break-all">{isShown ? secret : masked(secret)}</code>
      <IconButton
        label={isShown ? `Hide the ${name}` : `Show the ${name}`}
        onPress={() => setIsShown(!isShown)}
      >
        {isShown ? <EyeOff className="size-4" /> : <Eye className="size-4" />}
      </IconButton>
      <CopyButton text={secret} label={`Copy the ${name}`} />
    </span>
  );
}
