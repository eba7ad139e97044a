// What can be saved: a picture, a video, the numbers.
import type { Run } from "./data.ts";
import type { Player } from "./player.ts";
import type { View } from "./view.ts";

function download(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** The title as the name of a file. */
export function fileName(run: Run, ending: string): string {
  const name = run.header.title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "");
  return `${name.toLowerCase() || "run"}.${ending}`;
}

export function savePicture(run: Run, view: View): void {
  view.picture().toBlob((blob) => {
    if (blob) download(blob, fileName(run, "png"));
  });
}

/** A number that reads back to the same float. */
function number(x: number): string {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "nan" : x > 0 ? "inf" : "-inf";
  if (Object.is(x, -0)) return "-0";
  for (let digits = 6; digits < 9; ++digits) {
    const text = Number(x.toPrecision(digits));
    if (Math.fround(text) === x) return String(text);
  }
  return String(Number(x.toPrecision(9)));
}

/** Rows of all listed columns. */
export function csv(run: Run): string {
  const { series } = run.header;
  const quoted = (name: string) => (/[",\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name);
  const lines = [["t", ...series.map((one) => quoted(one.name))].join(",")];
  run.t.forEach((t, i) => {
    lines.push([String(t), ...series.map((one) => number(run.columns[one.column][i]))].join(","));
  });
  return lines.join("\n") + "\n";
}

export function saveNumbers(run: Run): void {
  download(new Blob([csv(run)], { type: "text/csv" }), fileName(run, "csv"));
}

/** Plays from the start to the end once, and records it. A second call ends it early. */
export class Recorder {
  private recorder: MediaRecorder | undefined;

  constructor(
    private readonly run: Run,
    private readonly view: View,
    private readonly player: Player,
    private readonly say: (text: string) => void,
  ) {
    player.listen(() => {
      if (this.recorder && !player.playing) this.recorder.stop();
    });
  }

  toggle(): void {
    if (this.recorder) return this.player.pause();
    const canvas = this.view.element as HTMLCanvasElement;
    const type = ["video/webm;codecs=vp9", "video/webm"].find((one) =>
      window.MediaRecorder?.isTypeSupported(one),
    );
    if (!type || !canvas.captureStream)
      return this.say("This browser cannot record videos; lacon run --video can.");
    const recorder = new MediaRecorder(canvas.captureStream(60), {
      mimeType: type,
      videoBitsPerSecond: 8_000_000,
    });
    const pieces: Blob[] = [];
    recorder.ondataavailable = (event) => pieces.push(event.data);
    const looped = this.player.loop;
    recorder.onstop = () => {
      this.recorder = undefined;
      this.player.setLoop(looped);
      download(new Blob(pieces, { type: "video/webm" }), fileName(this.run, "webm"));
      this.say("Video saved.");
    };
    this.player.pause();
    this.player.seek(this.player.begin);
    this.player.setLoop(false);
    recorder.start(1000);
    this.player.play();
    this.recorder = recorder;
    this.say("Recording; pause ends it.");
  }
}
