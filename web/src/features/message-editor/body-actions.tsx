import { Image, LayoutTemplate } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { say } from '../../ui/toast.tsx';
import { InsertImageDialog } from '../images/insert-image-dialog.tsx';
import { DesignDialog } from './design-dialog.tsx';
import { InsertFieldMenu } from './insert-field-menu.tsx';
import { readPreviewText, writePreviewText } from './visual/preview-text.ts';

interface BodyActionsProps {
  body: string;
  /** Replaces the body. */
  onChange: (body: string) => void;
  /** Replaces the selection. */
  onInsert: (markup: string) => void;
}

/** Inserts designs, fields and images into the body. */
export function BodyActions({ body, onChange, onInsert }: BodyActionsProps) {
  const [dialog, setDialog] = useState<'image' | 'design' | null>(null);
  const close = () => setDialog(null);
  return (
    <div className="flex flex-wrap">
      <Button look="quiet" onPress={() => setDialog('design')}>
        <LayoutTemplate aria-hidden className="size-4" />
        Designs
      </Button>
      <InsertFieldMenu onInsert={onInsert} />
      <Button look="quiet" onPress={() => setDialog('image')}>
        <Image aria-hidden className="size-4" />
        Insert image
      </Button>
      <InsertImageDialog isOpen={dialog === 'image'} onClose={close} onInsert={onInsert} />
      <DesignDialog
        isOpen={dialog === 'design'}
        onClose={close}
        onChoose={(design) => {
          onChange(writePreviewText(design.body, readPreviewText(body)));
          say(`Body replaced with “${design.name}”`, () => onChange(body));
        }}
      />
    </div>
  );
}
