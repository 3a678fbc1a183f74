exports.change = (paid, due) => Math.round((paid - due) * 100) / 100;

exports.share = (total, people) => Math.round((total / people) * 100) / 100;
