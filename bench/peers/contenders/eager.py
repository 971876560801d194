"""torch, op by op."""
import torch


def prepare(model, inputs, folder):
    return model, inputs


def load(prepared, cache):
    model, inputs = prepared

    def call():
        with torch.inference_mode():
            return model(*inputs).numpy()

    return call


def stepper(training, forward, optimizer, optimize):
    """A function that makes one step and returns its loss: `forward` computes that, `optimize` is the optimizer's step."""
    def step():
        if not training.has_loss:
            optimize()
            return training.last().item()
        loss = forward(training.x, training.target)
        loss.backward()
        optimize()
        optimizer.zero_grad()
        return loss.item()

    return step


def forward_of(training):
    model, loss = training.model, training.loss
    return lambda x, target: loss(model(x), target)


def train(training, cache, fused=None):
    optimizer = training.optimize(fused=fused)
    return stepper(training, forward_of(training), optimizer, optimizer.step)


def kernels():
    return None
