class Audit {
  constructor() {
    this.entries = [];
  }

  note(action, detail) {
    this.entries.push({ action, at: Date.now(), detail });
  }
}

const audit = new Audit();

function work(step) {
  const detail = Array.from({ length: 350 }, (_, i) => i * step);
  audit.note('step', detail);
  return detail.length;
}

for (let step = 0; step < 900; step++) {
  work(step);
  await new Promise((resolve) => setTimeout(resolve, 3));
}
