"""The models of bench/census, by the names that their libraries give them; each is built with random weights.

Models of transformers get small configurations: which ops a program calls does not depend on its sizes.  Nothing here imports a library
before a model is built."""
import dataclasses
import importlib
from typing import Callable

TEXT = dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128, vocab_size=256)
GROUPED = TEXT | dict(num_key_value_heads=2)
VISION = dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, intermediate_size=128, image_size=64, patch_size=16)
LAYERS = dict(d_model=64, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=128,
              decoder_ffn_dim=128)
SEQUENCES = dict(vocab_size=256) | LAYERS


@dataclasses.dataclass(frozen=True)
class Input:
    """A tensor to draw: "normal", "uniform", "ones", "starts" (0, 2, 4 ...) or integers below a number; `varies` are dynamic dims."""

    kind: str | int
    sizes: tuple
    varies: tuple = ()

    def draw(self, larger=False):
        """The tensor; `larger` adds a half to the sizes that may vary."""
        import torch
        sizes = [size + size // 2 if larger and dim in self.varies else size for dim, size in enumerate(self.sizes)]
        match self.kind:
            case "normal":
                return torch.randn(sizes)
            case "uniform":
                return torch.rand(sizes)
            case "ones":
                return torch.ones(sizes, dtype=torch.int64)
            case "starts":
                return torch.arange(0, 2 * sizes[0], 2)
            case limit:
                return torch.randint(0, limit, sizes)


@dataclasses.dataclass(frozen=True)
class Model:
    """`inputs(model)` are positional arguments and those by name, made of Inputs, lists and dicts."""

    library: str
    name: str
    build: Callable
    inputs: Callable
    dynamic: bool = True  # also exported with sizes that vary

    @property
    def key(self):
        return f"{self.library}.{self.name}"


def tokens(*sizes, varies=(0, 1)):
    return Input(200, sizes, varies)


def image(size, varies=(0,)):
    return Input("normal", (2, 3, size, size), varies)


def text(length=16, varies=(0, 1)):
    return {"input_ids": tokens(2, length, varies=varies), "attention_mask": Input("ones", (2, length), varies)}


INPUTS = {
    "text": text(),
    "tokens": {"input_ids": tokens(2, 16)},
    "long text": text(64, ()),
    "translation": text(varies=(0,)) | {"decoder_input_ids": tokens(2, 8, varies=(0,))},
    "spectrum": {"input_features": Input("normal", (2, 80, 3000), (0,)), "decoder_input_ids": tokens(2, 8, varies=(0,))},
    "audio": {"input_values": Input("normal", (2, 4000), (0,))},
    "image": {"pixel_values": image(64)},
    "image 56": {"pixel_values": image(56)},
    "text and image": text(varies=()) | {"pixel_values": image(64, ())},
}

# Class, its inputs, its configuration.
TRANSFORMERS = [
    ("BertModel", "text", TEXT),
    ("BertForMaskedLM", "text", TEXT),
    ("DistilBertModel", "text", dict(dim=64, n_layers=2, n_heads=4, hidden_dim=128, vocab_size=256)),
    ("RobertaModel", "text", TEXT),
    ("AlbertModel", "text", TEXT | dict(embedding_size=32)),
    ("ElectraModel", "text", TEXT | dict(embedding_size=32)),
    ("DebertaModel", "text", TEXT),
    ("DebertaV2Model", "text", TEXT),
    ("MPNetModel", "text", TEXT),
    ("ModernBertModel", "text", TEXT | dict(global_attn_every_n_layers=2, pad_token_id=0, bos_token_id=1, eos_token_id=2, cls_token_id=1,
         sep_token_id=2)),
    ("XLNetModel", "text", dict(vocab_size=256, d_model=64, n_layer=2, n_head=4, d_inner=128)),
    ("LongformerModel", "long text", TEXT | dict(attention_window=8)),
    ("BigBirdModel", "long text", TEXT | dict(attention_type="original_full")),
    ("FunnelBaseModel", "text", dict(vocab_size=256, block_sizes=[1, 1], d_model=64, n_head=4, d_head=16, d_inner=128)),
    ("ConvBertModel", "text", TEXT | dict(embedding_size=32)),
    ("FNetModel", "tokens", TEXT),
    ("GPT2LMHeadModel", "text", dict(vocab_size=256, n_embd=64, n_layer=2, n_head=4)),
    ("GPTNeoForCausalLM", "text", dict(vocab_size=256, hidden_size=64, num_layers=2, num_heads=4, attention_types=[[["global", "local"],
         1]], intermediate_size=128)),
    ("GPTNeoXForCausalLM", "text", TEXT),
    ("GPTJForCausalLM", "text", dict(vocab_size=256, n_embd=64, n_layer=2, n_head=4, rotary_dim=8)),
    ("OPTForCausalLM", "text", dict(vocab_size=256, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, ffn_dim=128,
         word_embed_proj_dim=64)),
    ("BloomForCausalLM", "text", dict(vocab_size=256, hidden_size=64, n_layer=2, n_head=4)),
    ("LlamaForCausalLM", "text", GROUPED),
    ("MistralForCausalLM", "text", GROUPED),
    ("MixtralForCausalLM", "text", GROUPED | dict(num_local_experts=4)),
    ("Qwen2ForCausalLM", "text", GROUPED),
    ("Qwen3ForCausalLM", "text", GROUPED | dict(head_dim=16)),
    ("Qwen2MoeForCausalLM", "text", GROUPED | dict(num_experts=4, num_experts_per_tok=2, moe_intermediate_size=32,
         shared_expert_intermediate_size=32)),
    ("Qwen3MoeForCausalLM", "text", GROUPED | dict(num_experts=4, num_experts_per_tok=2, moe_intermediate_size=32, head_dim=16)),
    ("GemmaForCausalLM", "text", GROUPED | dict(head_dim=16)),
    ("Gemma2ForCausalLM", "text", GROUPED | dict(head_dim=16)),
    ("Gemma3ForCausalLM", "text", GROUPED | dict(head_dim=16)),
    ("PhiForCausalLM", "text", TEXT),
    ("Phi3ForCausalLM", "text", GROUPED | dict(pad_token_id=0)),
    ("FalconForCausalLM", "text", dict(vocab_size=256, hidden_size=64, num_hidden_layers=2, num_attention_heads=4)),
    ("StableLmForCausalLM", "text", GROUPED),
    ("Olmo2ForCausalLM", "text", GROUPED),
    ("CohereForCausalLM", "text", GROUPED),
    ("Starcoder2ForCausalLM", "text", GROUPED),
    ("GraniteForCausalLM", "text", GROUPED),
    ("SmolLM3ForCausalLM", "text", GROUPED | dict(pad_token_id=0)),
    ("GptOssForCausalLM", "text", GROUPED | dict(head_dim=16, num_local_experts=4)),
    ("DeepseekV3ForCausalLM", "text", GROUPED | dict(n_routed_experts=8, n_group=2, topk_group=1, num_experts_per_tok=2,
         first_k_dense_replace=1, kv_lora_rank=16, q_lora_rank=16, qk_rope_head_dim=8, qk_nope_head_dim=8, v_head_dim=16,
         moe_intermediate_size=32, n_shared_experts=1, num_key_value_heads=4)),
    ("MambaForCausalLM", "text", dict(vocab_size=256, hidden_size=64, state_size=8, num_hidden_layers=2)),
    ("Mamba2ForCausalLM", "text", dict(vocab_size=256, hidden_size=64, state_size=16, num_hidden_layers=2, num_heads=8, head_dim=16,
         n_groups=1, chunk_size=8)),
    ("RwkvForCausalLM", "tokens", dict(vocab_size=256, hidden_size=64, num_hidden_layers=2, attention_hidden_size=64,
         intermediate_size=128)),
    ("RecurrentGemmaForCausalLM", "text", TEXT | dict(num_hidden_layers=3, lru_width=64)),
    ("T5ForConditionalGeneration", "translation", dict(vocab_size=256, d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4)),
    ("BartForConditionalGeneration", "translation", SEQUENCES),
    ("MarianMTModel", "translation", SEQUENCES | dict(pad_token_id=0)),
    ("PegasusForConditionalGeneration", "translation", SEQUENCES),
    ("WhisperForConditionalGeneration", "spectrum", SEQUENCES | dict(pad_token_id=0, bos_token_id=1, eos_token_id=2,
         decoder_start_token_id=1)),
    ("Wav2Vec2Model", "audio", TEXT | dict(vocab_size=32, conv_dim=(32, 32, 32), conv_stride=(5, 2, 2), conv_kernel=(10, 3, 3),
         num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4, mask_time_prob=0.0)),
    ("HubertModel", "audio", TEXT | dict(vocab_size=32, conv_dim=(32, 32, 32), conv_stride=(5, 2, 2), conv_kernel=(10, 3, 3),
         num_conv_pos_embeddings=16, num_conv_pos_embedding_groups=4, mask_time_prob=0.0)),
    ("ViTForImageClassification", "image", VISION),
    ("DeiTForImageClassification", "image", VISION),
    ("BeitForImageClassification", "image", VISION),
    ("Dinov2Model", "image 56", dict(hidden_size=64, num_hidden_layers=2, num_attention_heads=4, image_size=56, patch_size=14)),
    ("SegformerForSemanticSegmentation", "image", dict(image_size=64)),
    ("ConvNextV2ForImageClassification", "image", dict(image_size=64)),
    ("SwinForImageClassification", "image", dict(image_size=64, patch_size=4, embed_dim=24, depths=[1, 1], num_heads=[2, 4],
         window_size=4)),
    ("SiglipVisionModel", "image", VISION),
    ("CLIPModel", "text and image", dict(text_config=TEXT | dict(max_position_embeddings=32), vision_config=VISION, projection_dim=32)),
    ("SiglipModel", "text and image", dict(text_config=TEXT | dict(max_position_embeddings=32), vision_config=VISION)),
    ("MobileViTModel", "image", dict(image_size=64)),
    ("DPTForDepthEstimation", "image", VISION | dict(backbone_out_indices=[0, 1, 2, 3], neck_hidden_sizes=[16, 32, 32, 32],
         num_hidden_layers=4)),
    ("YolosModel", "image", VISION | dict(image_size=[64, 64])),
    ("DetrForObjectDetection", "image", dict(use_timm_backbone=True, use_pretrained_backbone=False, backbone="resnet18") | LAYERS),
]

# Models of torchvision.models with an image as input, by the size of the image.
IMAGES = {
    224: "resnet18 resnet50 resnext101_32x8d wide_resnet50_2 mobilenet_v2 mobilenet_v3_small mobilenet_v3_large efficientnet_b0 "
         "efficientnet_v2_s vit_b_16 swin_t swin_v2_t convnext_tiny densenet121 vgg16 vgg16_bn alexnet regnet_y_400mf regnet_x_400mf "
         "shufflenet_v2_x1_0 squeezenet1_1 mnasnet1_0 maxvit_t googlenet deeplabv3_resnet50 fcn_resnet50 lraspp_mobilenet_v3_large",
    299: "inception_v3",
}
DETECTION = """fasterrcnn_resnet50_fpn retinanet_resnet50_fpn ssd300_vgg16 ssdlite320_mobilenet_v3_large fcos_resnet50_fpn
    maskrcnn_resnet50_fpn"""
VIDEOS = {112: "r3d_18 mc3_18 r2plus1d_18", 224: "s3d mvit_v1_b swin3d_t"}
TIMM = """resnet26d ecaresnet26t res2net50_26w_4s dpn68 ghostnet_100 lcnet_050 mobilenetv4_conv_small rexnet_100 tf_efficientnetv2_s
    nfnet_l0 convnextv2_atto edgenext_xx_small fastvit_t8 poolformer_s12 mixer_s32_224 gmlp_s16_224 resmlp_12_224 vit_small_patch16_224
    eva02_tiny_patch14_224 beit_base_patch16_224 cait_xxs24_224 xcit_nano_12_p16_224 levit_128s tnt_s_patch16_224 volo_d1_224 coat_tiny
    mobilevit_s efficientformer_l1 mvitv2_tiny hiera_tiny_224 sequencer2d_s eca_halonext26ts lambda_resnet26t twins_svt_small
    focalnet_tiny_srf"""


def positional(*inputs):
    return lambda model: (inputs, {})


def torchvision_models():
    def get(name, **options):
        return lambda: importlib.import_module("torchvision.models").get_model(name, weights=None, **options)

    def backbone():
        part = importlib.import_module("torchvision.models.detection.backbone_utils")
        return part.resnet_fpn_backbone(backbone_name="resnet50", weights=None)

    for size, names in IMAGES.items():
        for name in names.split():
            options = {"init_weights": False} if name in ("googlenet", "inception_v3") else {}
            options |= {"weights_backbone": None} if name.startswith(("deeplab", "fcn", "lraspp")) else {}
            yield Model("torchvision", name, get(name, **options), positional(image(size)))
    for size, names in VIDEOS.items():
        for name in names.split():
            yield Model("torchvision", name, get(name), positional(Input("normal", (2, 3, 16, size, size), (0,))))
    yield Model("torchvision", "raft_small", get("raft_small"), positional(image(128, ()), image(128, ())), False)
    yield Model("torchvision", "resnet_fpn_backbone", backbone, positional(image(256)))
    for name in DETECTION.split():
        yield Model("torchvision", name, get(name, weights_backbone=None), positional([Input("uniform", (3, 320, 320))]), False)


def timm_models():
    def get(name):
        return lambda: importlib.import_module("timm").create_model(name, pretrained=False)

    def pixels(model):
        return (Input("normal", (2, *model.default_cfg["input_size"]), (0,)),), {}

    for name in TIMM.split():
        yield Model("timm", name, get(name), pixels)


def transformers_models():
    def get(name, configuration):
        def build():
            model = getattr(importlib.import_module("transformers"), name)
            config = model.config_class(**configuration)
            config.use_cache = False
            return model(config)

        return build

    for name, kind, configuration in TRANSFORMERS:
        inputs = INPUTS[kind]
        yield Model("transformers", name, get(name, configuration), lambda model, inputs=inputs: ((), inputs),
                    any(one.varies for one in inputs.values()))


def modules():
    """Layers of torch.nn and programs written for the census (census_modules.py)."""
    def get(name, *arguments):
        return lambda: getattr(importlib.import_module("census_modules"), name)(*arguments)

    def normal(*sizes, varies=(0,)):
        return Input("normal", sizes, varies)

    def add(name, *inputs, arguments=(), dynamic=True):
        return Model("modules", name, get(name, *arguments), positional(*inputs), dynamic)

    words = Input(100, (2, 7), (0,))
    yield add("Perceptron", normal(4, 32))
    yield from (add(name, words) for name in ("LSTM", "GRU", "RNN"))
    yield add("UNet", normal(2, 3, 32, 32))
    yield add("DCGAN", normal(2, 64, 1, 1))
    yield add("DLRM", normal(4, 13), [Input(100, (8,))] * 4, [Input("starts", (4,))] * 4, dynamic=False)
    yield add("GraphConvolutions", normal(10, 16), Input(10, (2, 30), (1,)))
    yield add("TemporalConvolutions", normal(2, 4, 16))
    yield add("Experts", normal(6, 32))
    yield add("Transformer", normal(2, 10, 32), normal(2, 7, 32))
    yield add("TransformerEncoder", normal(2, 10, 32))
    yield add("MultiheadAttention", *[normal(2, 10, 32)] * 3, dynamic=False)


MODELS = {model.key: model for models in (modules, transformers_models, torchvision_models, timm_models) for model in models()}
