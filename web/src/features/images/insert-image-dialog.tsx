import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog, DialogActions, type DialogState } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { ImageGrid } from './image-grid.tsx';
import { imageMarkup } from './image-markup.ts';

interface InsertImageDialogProps extends DialogState {
  onInsert: (markup: string) => void;
}

export function InsertImageDialog({ isOpen, onClose, onInsert }: InsertImageDialogProps) {
  return (
    <Dialog title="Insert an image" shape="wide" isOpen={isOpen} onClose={onClose}>
      <ImageChoice onClose={onClose} onInsert={onInsert} />
    </Dialog>
  );
}

function ImageChoice({ onClose, onInsert }: Omit<InsertImageDialogProps, 'isOpen'>) {
  const [url, setUrl] = useState<string | null>(null);
  const [text, setText] = useState('');
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (url === null) return;
        onInsert(imageMarkup(url, text));
        onClose();
      }}
    >
      <ImageGrid url={url} onChoose={setUrl} />
      <TextField
        label="Alternative text"
        hint="What the image says, for people who can’t see it. Leave it empty only for decoration."
        value={text}
        onChange={setText}
      />
      <DialogActions>
        <Button onPress={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isDisabled={url === null}>
          Insert image
        </Button>
      </DialogActions>
    </form>
  );
}
