import { type CSSProperties, useEffect, useRef, useState } from 'react';
import { classNames } from './class-names.ts';

interface SandboxedFrameProps {
  title: string;
  html: string;
  className?: string;
  style?: CSSProperties;
}

/** Shows the HTML of an email. The sandbox grants nothing: no scripts run, and links can't navigate the dashboard. */
export function SandboxedFrame(props: SandboxedFrameProps) {
  // Other HTML in the same frame would be a step of the history, which the back button goes through.
  return <Frame key={props.html} {...props} />;
}

function Frame({ title, html, className, style }: SandboxedFrameProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [hasFocus, setHasFocus] = useState(false);
  useEffect(() => {
    // A frame matches no focus pseudo-class while the focus is inside its document. In Firefox, it is the active
    // element only after the event.
    const look = () => setTimeout(() => setHasFocus(document.activeElement === frame.current));
    window.addEventListener('blur', look, true);
    window.addEventListener('focus', look, true);
    return () => {
      window.removeEventListener('blur', look, true);
      window.removeEventListener('focus', look, true);
    };
  }, []);
  return (
    <iframe
      ref={frame}
      title={title}
      sandbox=""
      srcDoc={html}
      className={classNames(className, hasFocus && 'outline-2 -outline-offset-2 outline-accent')}
      style={style}
    />
  );
}
