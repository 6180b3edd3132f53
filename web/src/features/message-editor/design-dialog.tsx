import { useProject } from '../../shell/session.ts';
import { Dialog, type DialogState } from '../../ui/dialog.tsx';
import { type Design, designs } from './designs.ts';
import { EmailFrame } from './email-frame.tsx';
import { firstNameOf } from './field-names.ts';
import { useFieldNames } from './use-field-names.ts';
import { useButtonColor } from './visual/button-color.ts';

interface DesignDialogProps extends DialogState {
  onChoose: (design: Design) => void;
}

export function DesignDialog({ onChoose, ...state }: DesignDialogProps) {
  return (
    <Dialog {...state} title="Start from a design" shape="wide">
      <DesignChoice
        onChoose={(design) => {
          state.onClose();
          onChoose(design);
        }}
      />
    </Dialog>
  );
}

function DesignChoice({ onChoose }: Pick<DesignDialogProps, 'onChoose'>) {
  const { name, language } = useProject();
  const color = useButtonColor();
  const firstName = firstNameOf(useFieldNames());
  return (
    <div className="flex flex-col gap-3">
      <p className="text-muted">This replaces the current body.</p>
      <ul className="grid gap-4 sm:grid-cols-2">
        {designs({ name, language, color, firstName }).map((design) => (
          <li
            key={design.name}
            className="relative overflow-hidden rounded-md border border-line-strong hover:border-accent"
          >
            <div inert aria-hidden className="h-48">
              <EmailFrame html={withFallbacks(design.body)} isDark={false} isDesktop />
            </div>
            <button
              type="button"
              aria-label={design.name}
              onClick={() => onChoose(design)}
              className="absolute inset-0 cursor-pointer rounded-md -outline-offset-2"
            />
            <p aria-hidden className="border-t border-line px-3 py-2">
              <span className="font-medium">{design.name}</span>{' '}
              <span className="text-sm text-muted">{design.note}</span>
            </p>
          </li>
        ))}
      </ul>
    </div>
  );
}

const withFallbacks = (html: string) => html.replaceAll(/\{\{[^}]*"([^"]*)" \}\}/g, '$1');
